//! `ctxmem-server user …`.

use clap::Subcommand;
use ctxmem_types::{Timestamp, UserId};
use reqwest::Url;
use serde_json::json;

use super::CliError;
use super::output::Output;
use crate::core::Core;
use crate::http::Site;

#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// Create a link with which a user can sign in once, within 15 minutes
    SignInLink {
        /// The user's id, as agents send it
        user_id: String,
    },
}

pub(super) async fn run(
    core: &Core,
    public_url: Url,
    command: UserCommand,
    output: &Output,
) -> Result<(), CliError> {
    match command {
        UserCommand::SignInLink { user_id } => {
            let user_id = UserId::new(user_id)
                .map_err(|error| CliError::Usage(format!("USER_ID: {error}")))?;
            let link = core.sign_in_link(user_id).await?;
            let url = Site::new(public_url).sign_in_link(&link.token);
            let expires_at = Timestamp::from(link.expires_at);
            output.print(
                &json!({ "url": url, "expires_at": expires_at }),
                &format!("{url}\nworks once, until {expires_at}"),
            )
        }
    }
}
