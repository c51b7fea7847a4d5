//! Sign-in by one-time link.
//!
//! Opening the link only shows a button, because mail scanners and previews open links too and
//! must not use them up. The button posts the token, and that opens the session.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;

use super::{LinkQuery, signed_in};
use crate::http::engine::operator::OperatorConfig;
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct ConfirmPage<'a> {
    operator: &'a OperatorConfig,
    user_id: &'a str,
    token: &'a str,
}

#[derive(Template)]
#[template(path = "sign_in_refused.html")]
struct RefusedPage;

/// The page behind a link, with the button that signs in.
pub(crate) async fn confirm(ctx: HandlerContext) -> HandlerResult {
    let LinkQuery { token } = ctx.query()?;
    match ctx.core().sign_in.look_at_link(&token).await? {
        Some(user_id) => ctx.page(&ConfirmPage {
            operator: &ctx.state.operator,
            user_id: user_id.as_str(),
            token: &token,
        }),
        None => ctx.page_of(StatusCode::GONE, &RefusedPage),
    }
}

#[derive(Deserialize)]
struct ConfirmForm {
    token: String,
}

/// The form behind the button.
pub(crate) async fn sign_in(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    let form: ConfirmForm = ctx.strangers_form().await?;
    match ctx.core().sign_in.sign_in(&form.token).await? {
        Some(session) => signed_in(&ctx, &session).await,
        None => ctx.page_of(StatusCode::GONE, &RefusedPage),
    }
}
