//! `ctxmem-server master-key`.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::json;

use super::output::Output;
use super::{CliError, Common};
use crate::config::MasterKey;

#[derive(Debug, Subcommand)]
pub(super) enum MasterKeyCommand {
    /// Protect the keys of users by another master key, also while servers run. Start them with
    /// the new one from then on; with the first such start the old one no longer opens anything
    Rotate {
        /// A file with the new master key: 32 bytes in base64 or hexadecimal
        #[arg(long, value_name = "FILE")]
        new_master_key_file: PathBuf,
    },
}

pub(super) async fn run(
    common: &Common,
    command: MasterKeyCommand,
    output: &Output,
) -> Result<(), CliError> {
    let MasterKeyCommand::Rotate {
        new_master_key_file: file,
    } = command;
    let new = MasterKey::from_file(&file).map_err(|error| {
        CliError::Usage(format!("--new-master-key-file {}: {error}", file.display()))
    })?;
    let db = common.database.open_existing().await?;
    db.rotate_master_key(&new)
        .await
        .map_err(crate::core::Error::from)?;
    db.close().await;
    output.print(
        &json!({ "rotated": true }),
        "The keys of users are protected by the new master key. Start the servers with it now: the former \
         one opens the database until a server has started with the new one.\n\n\
         Keep the former one as long as a backup from before, which nothing else opens.",
    )
}
