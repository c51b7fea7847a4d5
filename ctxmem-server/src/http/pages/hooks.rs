//! The pages' part in the answers of the engine.

use futures_util::FutureExt as _;

use super::{error_page, finish, form_again};
use crate::http::engine::page_hooks::PageHooks;

/// What the pages add to answers.
pub(crate) const HOOKS: &PageHooks = &PageHooks {
    error: error_page::answer,
    form_again: |ctx, error| form_again::page(ctx, error).boxed(),
    finish: |state, request, response| finish::finish(state, request, response).boxed(),
};
