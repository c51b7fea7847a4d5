//! What stands above every page of somebody who is signed in.

use ctxmem_types::UserId;

use crate::core::{Choices, Core, Error};
use crate::http::words::PageTime;

/// Who is signed in, and whether everything is paused.
pub(crate) struct AccountFrame {
    pub(crate) user_id: String,
    /// Since when everything is paused.
    pub(crate) paused: Option<PageTime>,
}

impl AccountFrame {
    pub(crate) async fn of(core: &Core, user_id: &UserId) -> Result<Self, Error> {
        Ok(Self::with(user_id, &core.grants.choices(user_id).await?))
    }

    pub(super) fn with(user_id: &UserId, choices: &Choices) -> Self {
        Self {
            user_id: user_id.as_str().to_owned(),
            paused: choices.paused_at.map(PageTime::new),
        }
    }
}
