//! Health: whether the database answers and takes writes, and whether the model answers.

use std::time::Duration;

use ctxmem_types::Health;
use indexmap::IndexMap;

use super::{Error, Operator};
use crate::probe::Probe;

const OK: &str = "ok";
const DOWN: &str = "unavailable";

/// How long it is remembered that a write succeeded.
const WRITES_FOR: Duration = Duration::from_secs(5);

/// How long it is remembered that none did: many who ask at once wait for one write, and who asks
/// after that learns soon that all is well again.
const NO_WRITES_FOR: Duration = Duration::from_millis(200);

/// How long a write may take.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// A probe that writes: only a write tells whether writes succeed. A full disk, a file that was removed and a standby
/// are read without a complaint.
pub(super) fn write_probe() -> Probe {
    Probe::new(WRITES_FOR, NO_WRITES_FOR)
}

impl Operator {
    /// Checks the database, and the model if one is configured. A model that is down is reported
    /// but does not make the service unhealthy, since prompts are still enriched.
    pub async fn health(&self) -> Health {
        let ((reads, writes), model) =
            futures_util::join!(self.reads_and_writes(), self.model_answers());
        let word = |good: bool| if good { OK } else { DOWN }.to_owned();
        let mut checks = IndexMap::from([
            ("database".to_owned(), word(reads)),
            ("writes".to_owned(), word(writes)),
        ]);
        if let Some(model) = model {
            checks.insert("model".to_owned(), word(model));
        }
        let mut health = Health::default();
        health.status = Some(if reads && writes { OK } else { "degraded" }.to_owned());
        health.checks = Some(checks);
        health.timestamp = Some(self.clock.now().into());
        let version = env!("CARGO_PKG_VERSION");
        health.extra.insert("version".to_owned(), version.into());
        health
    }

    /// When the database was last backed up, as far as it is known here, in seconds since 1970.
    pub async fn last_backup(&self) -> Result<Option<f64>, Error> {
        Ok(self.db.last_backup().await?)
    }

    /// Whether the database answers and takes writes, so that requests can be sent here.
    pub async fn is_ready(&self) -> bool {
        self.reads_and_writes().await == (true, true)
    }

    async fn reads_and_writes(&self) -> (bool, bool) {
        futures_util::join!(self.db.is_healthy(), self.takes_writes())
    }

    /// Whether the model answers; `None` where facts are extracted by rules.
    pub async fn model_answers(&self) -> Option<bool> {
        self.extractor.probe().await
    }

    /// Whether a write succeeds within two seconds, and no disk refused one a moment ago.
    async fn takes_writes(&self) -> bool {
        if self.db.has_disk_trouble() {
            return false;
        }
        let write = async || match tokio::time::timeout(WRITE_TIMEOUT, self.db.try_to_write()).await
        {
            Ok(Ok(())) => true,
            Ok(Err(cause)) => {
                tracing::warn!(%cause, "a trial write failed");
                false
            }
            Err(_elapsed) => {
                tracing::warn!("a trial write did not end in time");
                false
            }
        };
        self.write_probe.check(write).await
    }
}
