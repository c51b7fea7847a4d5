//! What stands above every page of somebody who is signed in.

use ctxmem_types::UserId;

use crate::core::{Choices, Core, Error};
use crate::http::page_time::PageTime;

/// Who is signed in, and whether everything is paused.
pub(in crate::http) struct AccountFrame {
    pub(in crate::http) user_id: String,
    /// Since when everything is paused.
    pub(in crate::http) paused: Option<PageTime>,
}

impl AccountFrame {
    pub(in crate::http) async fn of(core: &Core, user_id: &UserId) -> Result<Self, Error> {
        Ok(Self::with(user_id, &core.choices(user_id).await?))
    }

    pub(super) fn with(user_id: &UserId, choices: &Choices) -> Self {
        Self {
            user_id: user_id.as_str().to_owned(),
            paused: choices.paused_at.map(PageTime::new),
        }
    }
}
