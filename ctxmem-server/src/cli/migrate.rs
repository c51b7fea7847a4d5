//! `ctxmem-server migrate`.

use clap::Args;
use serde_json::json;

use super::output::{self, Output};
use super::{CliError, Common};
use crate::store::Db;

#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// Have the extension Citus distribute the database over its workers. What was interrupted is
    /// completed, and what is distributed stays as it is
    #[arg(long)]
    distribute: bool,
}

pub(super) async fn run(
    common: &Common,
    args: MigrateArgs,
    output: &Output,
) -> Result<(), CliError> {
    let config = common.database.config()?;
    if args.distribute {
        Db::distribute(&config, &output::progress).await?;
    }
    let db = Db::open(config).await?;
    let is_distributed = db.is_distributed();
    db.close().await;
    output.print(
        &json!({ "migrated": true, "distributed": is_distributed }),
        if is_distributed {
            "The schema is up to date, and the database is distributed."
        } else {
            "The schema is up to date."
        },
    )
}
