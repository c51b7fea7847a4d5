//! Where the parts are put together, and the only place that is.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::config::{Config, ExtractorConfig};
use crate::core::{Clock, Core, SystemClock};
use crate::extract::{ExtractError, Extractor, Model, ModelConfig, Rules};
use crate::http::{self, Api, Site};
use crate::store::{Db, OpenError};

/// How often the last use of keys is stored, and what could not be purged is tried again.
const FLUSH_EVERY: Duration = Duration::from_secs(10);
/// How often what is over is forgotten, and the bytes of what was deleted are removed.
const TIDY_EVERY: Duration = Duration::from_mins(10);
/// How often answers that are not given again any more are forgotten.
const FORGET_EVERY: Duration = Duration::from_hours(1);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The model's configuration can't be used.
    #[error("the model can't be used: {0}")]
    Model(#[from] ExtractError),
}

/// The extractor that is configured.
pub(crate) fn extractor(config: ExtractorConfig) -> Result<Arc<dyn Extractor>, ExtractError> {
    Ok(match config {
        ExtractorConfig::Rules => Arc::new(Rules),
        ExtractorConfig::Model {
            url,
            name,
            api_key,
            timeout,
        } => Arc::new(Model::new(ModelConfig {
            url,
            name,
            api_key,
            timeout,
        })?),
    })
}

/// A server that is ready to run.
pub struct App {
    core: Arc<Core>,
    api: Arc<Api>,
}

impl App {
    /// Opens the database and puts the parts together.
    pub async fn open(config: Config) -> Result<Self, StartError> {
        Self::open_at(config, Arc::new(SystemClock)).await
    }

    /// The same with a clock of the caller's.
    pub async fn open_at(config: Config, clock: Arc<dyn Clock>) -> Result<Self, StartError> {
        let extractor = extractor(config.extractor)?;
        let db = Db::open(&config.database_url).await?;
        let core = Arc::new(Core::new(db, extractor, clock, config.settings));
        let api = Arc::new(Api::new(
            Arc::clone(&core),
            config.rate_limit,
            config.limits,
            Site::new(config.public_url),
        ));
        Ok(Self { core, api })
    }

    /// The service less its transport, for what operators do.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Serves until `shutdown` resolves, answers what is under way, and closes the database.
    pub async fn run(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let housekeeping = tokio::spawn(keep_house(Arc::clone(&self.core), Arc::clone(&self.api)));
        let deadline = http::serve(self.api, listener, shutdown).await;
        housekeeping.abort();
        self.core.close(deadline).await;
    }
}

async fn keep_house(core: Arc<Core>, api: Arc<Api>) {
    let mut flush = tokio::time::interval(FLUSH_EVERY);
    let mut tidy = tokio::time::interval(TIDY_EVERY);
    let mut forget = tokio::time::interval(FORGET_EVERY);
    loop {
        let done = tokio::select! {
            _ = flush.tick() => match core.flush_key_use().await {
                Ok(()) => core.finish_erasures().await,
                failed => failed,
            },
            _ = tidy.tick() => {
                api.tidy();
                match core.drop_old_sessions().await {
                    Ok(()) => core.finish_deletions().await,
                    failed => failed,
                }
            }
            _ = forget.tick() => core.drop_old_answers().await,
        };
        if let Err(error) = done {
            tracing::warn!(%error, "housekeeping failed; it will be tried again");
        }
    }
}
