//! One turn of a conversation, as files hold it.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Turn {
    pub(super) user_message: String,
    pub(super) agent_response: String,
}
