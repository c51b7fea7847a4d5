//! When the last backup was made, for operators.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::store::files::beside;
use crate::store::statement::statements;
use crate::store::{Db, Engine, Result};

/// What the name of the file ends in that is as old as the last backup.
const STAMP: &str = "-backed-up";

statements! {
    LAST_ARCHIVED: {
        postgres: "SELECT CAST(EXTRACT(EPOCH FROM last_archived_time) AS BIGINT) AS archived
                   FROM pg_stat_archiver",
    };
}

/// Notes that this database is backed up now. It only tells operators, and the folder may be one that this user can't
/// write to.
pub(super) fn note(database: &Path) {
    let _ = fs::write(beside(database, STAMP), "");
}

impl Db {
    /// When the database was last backed up, in seconds since 1970: on SQLite by this program, on Postgres by what
    /// archives its log. `None` where that is not known here.
    pub(crate) async fn last_backup(&self) -> Result<Option<f64>> {
        match &self.engine {
            Engine::Sqlite(engine) => {
                let options = engine.readers.connect_options();
                let stamp = beside(options.get_filename(), STAMP);
                let at = fs::metadata(stamp).and_then(|stamp| stamp.modified());
                let at = at.ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                Ok(at.map(|at| at.as_secs_f64()))
            }
            Engine::Postgres(_) => {
                let row = self
                    .read(async |tx| tx.find(LAST_ARCHIVED, &[]).await)
                    .await?;
                let at = row
                    .map(|row| row.int_or_null("archived"))
                    .transpose()?
                    .flatten();
                #[expect(clippy::cast_precision_loss, reason = "seconds since 1970")]
                Ok(at.map(|at| at as f64))
            }
        }
    }
}
