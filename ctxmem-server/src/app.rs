//! Puts the parts of the server together. Nothing else does.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::config::{Config, ExtractorConfig};
use crate::core::{Clock, Core, Error, SystemClock};
use crate::extract::{self, BuiltIn, ExtractError, Extractor, Model, ModelConfig, ReloadableModel};
use crate::http::{self, HttpSettings, ServerState, SettingInForce, Site};
use crate::oidc::{OidcError, Provider};
use crate::store::{Db, OpenError};
use crate::webhook::{self, WebhookConfig};

/// How often the last use of keys is stored, and unfinished erasures are retried.
const FLUSH_EVERY: Duration = Duration::from_secs(10);
/// How often the audit buffer is stored, unless it is full earlier.
const AUDIT_EVERY: Duration = Duration::from_secs(1);
/// How often the request log is stored.
const REQUEST_LOG_EVERY: Duration = Duration::from_secs(1);
/// How long to wait after the audit buffer could not be stored.
const AUDIT_PAUSE: Duration = Duration::from_secs(5);
/// How long the bytes of destroyed keys stay in a table on Postgres at most.
const REWRITE_EVERY: Duration = Duration::from_mins(1);
/// How often what is idle is dropped from memory: cached answers, keys of users, limiter entries.
const EVICT_EVERY: Duration = Duration::from_secs(10);
/// How often it is noted which grants have expired, unless one is seen earlier.
const EXPIRED_GRANTS_EVERY: Duration = Duration::from_secs(30);
/// How long housekeeping waits after a start. All of it would begin in the same moment, each with a connection to
/// the database, while those who waited for the start come back.
const HOUSEKEEPING_AFTER: Duration = Duration::from_secs(1);
/// How often expired sessions are removed.
const CLEANUP_EVERY: Duration = Duration::from_mins(10);
/// How long housekeeping that fails waits at most before it is tried again, unless it is rarer anyway.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
/// How often facts are deleted that have become as old as their user chose.
const AUTO_DELETE_EVERY: Duration = Duration::from_mins(10);
/// How often expired idempotency records and old audit events are deleted.
const EXPIRE_EVERY: Duration = Duration::from_hours(1);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The model's configuration is not usable.
    #[error("the model can't be used: {0}")]
    Model(#[from] ExtractError),
    /// The provider's configuration is not usable.
    #[error(transparent)]
    Oidc(#[from] OidcError),
}

pub(crate) fn extractor(config: ExtractorConfig) -> Result<Arc<dyn Extractor>, ExtractError> {
    Ok(match model_config(config) {
        None => Arc::new(BuiltIn),
        Some(config) => Arc::new(Model::new(config)?),
    })
}

/// The model of a configuration; `None` for what is built in.
fn model_config(config: ExtractorConfig) -> Option<ModelConfig> {
    match config {
        ExtractorConfig::Builtin => None,
        ExtractorConfig::Model(config) => Some(*config),
    }
}

/// Sets what can be changed while a server runs.
#[derive(Clone)]
pub(crate) struct Reloader {
    core: Arc<Core>,
    state: Arc<ServerState>,
    model: Option<Arc<ReloadableModel>>,
}

impl Reloader {
    /// Sets the limits and the model as they are configured now. When the model can't be used, or
    /// the server began with the other extractor, the limits are set all the same.
    pub(crate) fn reload(&self, config: Config) -> Result<(), ReloadError> {
        self.state
            .set_limits(config.rate_limit, config.erasure_limit);
        self.core
            .console
            .set_monthly_quota(config.settings.monthly_quota);
        match (model_config(config.extractor), &self.model) {
            (Some(config), Some(model)) => Ok(model.reload(config)?),
            (None, None) => Ok(()),
            _ => Err(ReloadError::Extractor),
        }
    }
}

/// Why not all settings were taken over.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReloadError {
    #[error("the model can't be used: {0}")]
    Model(#[from] ExtractError),
    #[error("from the rules to a model or back takes a restart")]
    Extractor,
}

/// A server that is ready to run.
pub struct App {
    core: Arc<Core>,
    pub(crate) state: Arc<ServerState>,
    model: Option<Arc<ReloadableModel>>,
    webhook: Option<WebhookConfig>,
}

impl App {
    /// Opens the database and puts the parts together.
    pub async fn open(config: Config) -> Result<Self, StartError> {
        Self::open_at(config, Arc::new(SystemClock)).await
    }

    /// Like [`open`](Self::open), with the caller's clock.
    pub async fn open_at(config: Config, clock: Arc<dyn Clock>) -> Result<Self, StartError> {
        let model = model_config(config.extractor).map(ReloadableModel::new);
        let model = model.transpose()?.map(Arc::new);
        let extractor: Arc<dyn Extractor> = match &model {
            Some(model) => Arc::clone(model) as Arc<dyn Extractor>,
            None => Arc::new(BuiltIn),
        };
        let site = Site::new(config.public_url);
        let provider = config
            .oidc
            .map(|oidc| Provider::new(oidc, site.page("/sign-in/oidc/callback")))
            .transpose()?;
        // Nobody's first message waits for it.
        let preparing = tokio::task::spawn_blocking(extract::prepare);
        let db = Db::open(config.database).await?;
        // It fails only when this runtime ends.
        let _ = preparing.await;
        let core = Core::new(
            db,
            extractor,
            clock,
            config.settings,
            &site.page("/consent/"),
        );
        let core = Arc::new(core);
        let settings = HttpSettings {
            rate_limit: config.rate_limit,
            erasure_limit: config.erasure_limit,
            limits: config.limits,
            operator: config.operator,
            trusted_proxies: config.trusted_proxies,
            sign_in_secret: config.sign_in_secret.as_ref(),
            mcp: config.mcp,
            mcp_oauth: config.mcp_oauth,
        };
        let (routes, pages) = (http::ROUTES, http::HOOKS);
        let state = ServerState::new(Arc::clone(&core), routes, pages, site, provider, settings);
        Ok(Self {
            core,
            state: Arc::new(state),
            model,
            webhook: config.webhook,
        })
    }

    /// The service without its transport, for operators' commands.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) fn reloader(&self) -> Reloader {
        Reloader {
            core: Arc::clone(&self.core),
            state: Arc::clone(&self.state),
            model: self.model.clone(),
        }
    }

    /// Serves metrics for operators at `/metrics`, and a page with these settings at `/`, until the future is
    /// dropped.
    pub fn serve_metrics(
        &self,
        listener: TcpListener,
        settings: Vec<SettingInForce>,
    ) -> impl Future<Output = ()> + use<> {
        http::serve_metrics(Arc::clone(&self.state), listener, settings)
    }

    /// Serves until `shutdown` resolves, then finishes the requests in progress and closes the
    /// database.
    pub async fn run(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let mut beside = JoinSet::new();
        beside.spawn(housekeep(Arc::clone(&self.core), Arc::clone(&self.state)));
        beside.spawn(store_audit_buffer(Arc::clone(&self.core)));
        beside.spawn(note_expired_grants(Arc::clone(&self.core)));
        if let Some((webhook, news)) = self.webhook.zip(self.core.grants.news()) {
            beside.spawn(webhook::send(webhook, Arc::clone(&self.core.grants), news));
        }
        let deadline = http::serve(self.state, listener, shutdown).await;
        // A batch that is being stored is still stored, and `close` stores the rest.
        beside.abort_all();
        self.core.close(deadline).await;
    }
}

async fn housekeep(core: Arc<Core>, state: Arc<ServerState>) {
    tokio::time::sleep(HOUSEKEEPING_AFTER).await;
    let (core, state) = (&core, &state);
    let counting = "counting calls of agents that wait for consent";
    let evict = repeat(EVICT_EVERY, "dropping what is idle from memory", || async {
        let (core, state) = (Arc::clone(core), Arc::clone(state));
        // Not where requests are answered: there may be much to free.
        let evicting = tokio::task::spawn_blocking(move || {
            state.evict_idle();
            core.evict_idle();
        });
        // A panic is in the log already.
        let _ = evicting.await;
        Ok(())
    });
    let cleanup = repeat(CLEANUP_EVERY, "removing expired sessions", || async {
        core.sign_in.drop_old_sessions().await?;
        core.oauth.drop_old_connections().await?;
        core.sign_in.drop_old_oidc_sign_ins().await
    });
    let expire = repeat(EXPIRE_EVERY, "removing expired records", || async {
        core.memory.drop_old_answers().await?;
        core.console.drop_old_requests().await?;
        core.grants.drop_old_consent_requests().await?;
        core.memory.drop_old_events().await
    });
    tokio::join!(
        repeat(FLUSH_EVERY, "storing the last use of keys", || {
            core.grants.flush_key_use()
        }),
        repeat(REQUEST_LOG_EVERY, "storing the request log", || {
            core.console.flush_request_log()
        }),
        repeat(FLUSH_EVERY, counting, || core.grants.flush_repeated_calls()),
        repeat(FLUSH_EVERY, "completing erasures", || async {
            core.memory.complete_erasures().await.map(drop)
        }),
        repeat(REWRITE_EVERY, "rewriting the table of users' keys", || {
            core.memory.rewrite_keys_if_due()
        }),
        evict,
        cleanup,
        expire,
        repeat(
            AUTO_DELETE_EVERY,
            "deleting facts that are old enough",
            || core.memory.delete_old_facts()
        ),
    );
}

/// Does something again and again, and less and less often while it fails.
async fn repeat<F>(every: Duration, what: &str, task: impl Fn() -> F)
where
    F: Future<Output = Result<(), Error>>,
{
    let mut pause = every;
    loop {
        pause = match task().await {
            Ok(()) => every,
            Err(error) => {
                let pause = pause_after_failure(pause, every);
                let seconds = pause.as_secs();
                tracing::warn!(%error, seconds, "{what} failed; it is tried again after a pause");
                pause
            }
        };
        tokio::time::sleep(pause).await;
    }
}

fn pause_after_failure(pause: Duration, every: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE.max(every))
}

async fn store_audit_buffer(core: Arc<Core>) {
    let mut every = tokio::time::interval(AUDIT_EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = every.tick() => {}
            () = core.memory.audit_buffer_is_long() => {}
        }
        if let Err(error) = core.memory.flush_audit_buffer().await {
            tracing::warn!(%error, "the audit buffer was not stored; it will be tried again");
            tokio::time::sleep(AUDIT_PAUSE).await;
        }
    }
}

async fn note_expired_grants(core: Arc<Core>) {
    tokio::time::sleep(HOUSEKEEPING_AFTER).await;
    loop {
        if let Err(error) = core.grants.note_expired_grants().await {
            tracing::warn!(%error, "which grants have expired was not noted; it will be tried again");
            tokio::time::sleep(AUDIT_PAUSE).await;
        }
        tokio::select! {
            () = tokio::time::sleep(EXPIRED_GRANTS_EVERY) => {}
            () = core.grants.expired_grant_is_seen() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_tried_less_and_less_often_but_never_less_than_planned() {
        let pauses = |every: u64| {
            let every = Duration::from_secs(every);
            std::iter::successors(Some(every), move |pause| {
                Some(pause_after_failure(*pause, every))
            })
            .map(|pause| pause.as_secs())
            .take(9)
            .collect::<Vec<_>>()
        };
        assert_eq!(pauses(10), [10, 20, 40, 80, 160, 320, 600, 600, 600]);
        assert_eq!(pauses(3_600), [3_600; 9]);
    }
}
