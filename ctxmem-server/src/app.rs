//! Where the parts are put together, and the only place that is.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;

use crate::config::{Config, ExtractorConfig};
use crate::core::{Clock, Core, SystemClock};
use crate::extract::{ExtractError, Extractor, Model, ModelConfig, Rules};
use crate::http::{self, Api, Site};
use crate::oidc::{OidcError, Provider};
use crate::store::{Db, OpenError};

/// How often the last use of keys is stored, and what could not be purged is tried again.
const FLUSH_EVERY: Duration = Duration::from_secs(10);
/// How often the journal is stored, unless it is long before.
const JOURNAL_EVERY: Duration = Duration::from_secs(1);
/// How long the journal is left alone after it could not be stored.
const JOURNAL_PAUSE: Duration = Duration::from_secs(5);
/// How often what is over is forgotten, and the bytes of what was deleted are removed.
const TIDY_EVERY: Duration = Duration::from_mins(10);
/// How often answers that are not given again any more are forgotten, and what happened long
/// ago.
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
    /// The provider's configuration can't be used.
    #[error(transparent)]
    Oidc(#[from] OidcError),
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
        } => Arc::new(model(ModelConfig {
            url,
            name,
            api_key,
            timeout,
        })?),
    })
}

/// A model to extract with.
pub(crate) fn model(config: ModelConfig) -> Result<Model, ExtractError> {
    Model::new(config)
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
        let site = Site::new(config.public_url);
        let provider = config
            .oidc
            .map(|oidc| Provider::new(oidc, site.page("/sign-in/oidc/callback")))
            .transpose()?;
        let db = Db::open(&config.database_url).await?;
        let core = Arc::new(Core::new(db, extractor, clock, config.settings));
        let api = Api::new(Arc::clone(&core), config.rate_limit, config.limits, site)
            .sign_in_secret(config.sign_in_secret.as_ref())
            .oidc(provider);
        let api = Arc::new(api);
        Ok(Self { core, api })
    }

    /// The service less its transport, for what operators do.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Serves figures for operators, at `/metrics` and for as long as it is awaited.
    pub fn serve_metrics(&self, listener: TcpListener) -> impl Future<Output = ()> + use<> {
        http::serve_metrics(Arc::clone(&self.core), listener)
    }

    /// Serves until `shutdown` resolves, answers what is under way, and closes the database.
    pub async fn run(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let housekeeping = tokio::spawn(keep_house(Arc::clone(&self.core), Arc::clone(&self.api)));
        let journal = tokio::spawn(keep_journal(Arc::clone(&self.core)));
        let deadline = http::serve(self.api, listener, shutdown).await;
        housekeeping.abort();
        // What is being stored is stored all the same, and the core stores the rest.
        journal.abort();
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
                    Ok(()) => match core.drop_old_oidc_sign_ins().await {
                        Ok(()) => core.finish_deletions().await,
                        failed => failed,
                    },
                    failed => failed,
                }
            }
            _ = forget.tick() => match core.drop_old_answers().await {
                Ok(()) => core.drop_old_events().await,
                failed => failed,
            },
        };
        if let Err(error) = done {
            tracing::warn!(%error, "housekeeping failed; it will be tried again");
        }
    }
}

async fn keep_journal(core: Arc<Core>) {
    let mut every = tokio::time::interval(JOURNAL_EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = every.tick() => {}
            () = core.journal_is_long() => {}
        }
        if let Err(error) = core.flush_journal().await {
            tracing::warn!(%error, "the journal was not stored; it will be tried again");
            tokio::time::sleep(JOURNAL_PAUSE).await;
        }
    }
}
