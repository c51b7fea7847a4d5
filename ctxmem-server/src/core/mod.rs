//! The rules of the service, one file a noun. They name neither HTTP nor SQL.

mod access;
mod agent_profiles;
mod agents;
mod audit;
mod audit_buffer;
mod auto_delete;
mod batch;
mod caller;
mod clock;
mod consent;
mod context;
mod demo;
mod developers;
mod erase;
mod error;
mod export;
mod fact_records;
mod facts;
mod first_grant;
mod form_mark;
mod grant_clock;
mod grants;
mod health;
mod idempotency;
mod importance;
mod inject;

mod keyed_lock;
mod keys;
mod manager;
mod merge;
mod metrics;
mod multi_value;
mod news;
mod oauth;
mod oidc_sign_ins;
mod password_queue;
mod passwords;
mod playground;
mod preview;
mod quota;
#[cfg(test)]
mod recovery_tests;
mod relevance;
mod render;
mod request_log;
mod second_factor;
mod sessions;
mod shown_once;
mod sign_in_origin;
mod suggest;
mod team;
mod team_invitations;
mod time_zone;
mod transfer;
mod undo;
mod unit;
mod update;
mod usage;
mod users;
mod wording;
mod words;

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::extract::Extractor;
use crate::probe::Probe;
use crate::store::{Db, Hash};
use idempotency::json;

// The rows and names that pages and commands show as they are stored.
pub use crate::extract::{ExtractError, quotation};
pub use crate::store::{
    Action, Actor, Agent, AgentAccess, AgentProfile, AgentSummary, AuditDetails, AuditEvent,
    AuditRange, AuditRow, AuditStart, Author, AutoDelete, Choices, ConsentRequest, Developer,
    DeveloperId, ExtractedBy, FactCounts, FactId, FactVersion, FactWithProvenance, GrantChange,
    InvitationRow, KeyRow, ListedSession, MemberId, MemberRow, Needs, OidcSignInRow, Outcome,
    Purpose, RequestRow, Role, StoreError, Usage, UserKey,
};
pub use agent_profiles::is_local;
pub use agents::{FirstStart, NewAgent};
pub use caller::Caller;
pub use clock::{Clock, SystemClock};
pub use consent::AskingAgent;
pub use demo::Demo;
pub use error::Error;
pub use export::{Export, ExportedContext, HistoryPages};
pub use facts::{Correction, ScopeVersion};
pub use first_grant::FirstGrant;
pub use grants::{AccessNow, State};
pub use idempotency::{IdempotencyKey, Reply};
pub use inject::{Block, InjectOutcome, InjectReply};
pub use keys::{Key, KeyTerms, MintedKey};
pub use manager::Manager;
pub use news::{News, NewsKind};
pub use oauth::{
    OAuth, OAuthClient, OAuthRefusal, OAuthRequest, OAuthTokens, Redirect, is_access_token,
};
pub use oidc_sign_ins::OidcSignIn;
pub use passwords::PasswordCost;
pub use playground::test_user;
pub use preview::{KeyPreview, Preview};
// A benchmark measures it alone: an inject that misses the cache spends its time here.
#[doc(hidden)]
pub use render::block;
pub use request_log::{AnsweredRequest, RequestSummary, RouteSummary};
pub use second_factor::{DeveloperSignIn, SecondFactor, is_app_code};
pub use sessions::SignInLink;
pub use sign_in_origin::{Network, SignInOrigin};
pub use suggest::Suggestion;
pub use team::{MemberRef, Team};
pub use team_invitations::Joining;
pub use transfer::{
    End, ForeignFormat, ForeignMemory, Header, Import, ImportError, Imported, Importer, Line,
    RejectedLine, read_foreign,
};
pub use update::OnModelFailure;
pub use usage::Daily;
pub use users::UserSummary;
pub use wording::searchable;

/// What operators can set.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many tokens the block in a prompt may take.
    pub token_budget: usize,
    /// How many updates an agent has in a calendar month; `None` for any number.
    pub monthly_quota: Option<NonZeroU32>,
    /// How many facts a scope holds that is a list, `history` twice as many; `None` for any number.
    pub list_cap: Option<NonZeroU32>,
    /// For how many days the audit log is kept; `None` for all time.
    pub audit_days: Option<NonZeroU32>,
    /// For how many days the request log is kept; `None` for no request log.
    pub request_log_days: Option<NonZeroU32>,
    /// About how many bytes of snapshots and rendered answers are kept in memory; 0 for none.
    pub cache_bytes: u64,
    /// Which agents get their first grant by themselves.
    pub first_grant: FirstGrant,
    /// Whether prompts have demo facts until a developer's first fact is stored.
    pub demo: Demo,
    /// What becomes of an update whose model fails.
    pub on_model_failure: OnModelFailure,
    /// What hashing a developer's password takes.
    pub password_cost: PasswordCost,
}

/// The service without its transport, in six parts. What a part asks of another stands among its fields.
pub struct Core {
    /// What agents are told and what they teach; what users see and erase of it.
    pub memory: Arc<Memory>,
    /// Who may see what: grants, consent, keys.
    pub grants: Arc<Grants>,
    /// What developers do: their agents, team, usage and log.
    pub console: Console,
    /// Who is signed in: links, sessions, providers.
    pub sign_in: SignIn,
    /// Programs that users let in over OAuth.
    pub oauth: OAuth,
    /// What operators do: health, users, moving data.
    pub operator: Operator,
}

/// What agents are told and what they teach; what users see and erase of it.
pub struct Memory {
    db: Db,
    clock: Arc<dyn Clock>,
    grant_clock: grant_clock::GrantClock,
    settings: Settings,
    extractor: Arc<dyn Extractor>,
    grants: Arc<Grants>,
    monthly_quota: quota::MonthlyQuota,
    analyst: update::Analyst,
    updates: update::UpdateWriter,
    update_limiter: update::UpdateLimiter,
    audit_buffer: audit_buffer::AuditBuffer,
    /// Requests with the same agent and idempotency key wait for each other here.
    idempotency_locks: keyed_lock::KeyedLock<(String, Hash)>,
    tasks: TaskTracker,
    metrics: Arc<metrics::CoreMetrics>,
}

/// Who may see what: grants, consent, keys.
pub struct Grants {
    db: Db,
    clock: Arc<dyn Clock>,
    grant_clock: grant_clock::GrantClock,
    settings: Settings,
    /// What the addresses of consent pages begin with.
    consent_pages: String,
    waiting: first_grant::Waiting,
    access: access::AccessReader,
    key_cache: keys::KeyCache,
    key_use: keys::KeyUse,
    /// Who is told of news for users.
    subscriber: OnceLock<mpsc::Sender<News>>,
    metrics: Arc<metrics::CoreMetrics>,
}

/// What developers do: their agents, team, usage and log.
pub struct Console {
    db: Db,
    clock: Arc<dyn Clock>,
    grant_clock: grant_clock::GrantClock,
    settings: Settings,
    grants: Arc<Grants>,
    sign_in: SignIn,
    monthly_quota: quota::MonthlyQuota,
    passwords: passwords::Passwords,
    request_log: request_log::RequestLog,
}

/// Who is signed in: links, sessions, providers.
#[derive(Clone)]
pub struct SignIn {
    db: Db,
    clock: Arc<dyn Clock>,
}

/// What operators do: health, users, moving data.
pub struct Operator {
    db: Db,
    clock: Arc<dyn Clock>,
    grant_clock: grant_clock::GrantClock,
    extractor: Arc<dyn Extractor>,
    write_probe: Probe,
    /// See [`Settings::list_cap`].
    list_cap: Option<NonZeroU32>,
}

impl Memory {
    /// Does something in a task, which goes on to its end even if the caller stops waiting.
    fn to_its_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> impl Future<Output = Result<T, Error>> {
        let task = self.tasks.spawn(work.in_current_span());
        async { task.await.map_err(|_| StoreError::Interrupted)? }
    }
}

impl Core {
    /// Puts the parts together. `consent_pages` and the id of an agent are the address at which users decide
    /// whether it gets access.
    pub fn new(
        db: Db,
        extractor: Arc<dyn Extractor>,
        clock: Arc<dyn Clock>,
        settings: Settings,
        consent_pages: &str,
    ) -> Self {
        let metrics = Arc::new(metrics::CoreMetrics::new(extractor.is_model()));
        let tasks = TaskTracker::new();
        let grant_clock = grant_clock::GrantClock::new(Arc::clone(&clock));
        let monthly_quota = quota::MonthlyQuota::new(settings.monthly_quota);
        let evictions = metrics.cache_evictions.clone();
        let grants = Arc::new(Grants {
            access: access::AccessReader::new(db.clone(), &settings, evictions, &tasks),
            db: db.clone(),
            clock: Arc::clone(&clock),
            grant_clock: grant_clock.clone(),
            settings,
            consent_pages: consent_pages.to_owned(),
            waiting: first_grant::Waiting::default(),
            key_cache: keys::KeyCache::default(),
            key_use: keys::KeyUse::default(),
            subscriber: OnceLock::new(),
            metrics: Arc::clone(&metrics),
        });
        let sign_in = SignIn {
            db: db.clone(),
            clock: Arc::clone(&clock),
        };
        let oauth = OAuth {
            db: db.clone(),
            clock: Arc::clone(&clock),
            grant_clock: grant_clock.clone(),
            grants: Arc::clone(&grants),
        };
        let console = Console {
            db: db.clone(),
            clock: Arc::clone(&clock),
            grant_clock: grant_clock.clone(),
            settings,
            grants: Arc::clone(&grants),
            sign_in: sign_in.clone(),
            monthly_quota: monthly_quota.clone(),
            passwords: passwords::Passwords::new(settings.password_cost),
            request_log: request_log::RequestLog::default(),
        };
        let operator = Operator {
            db: db.clone(),
            clock: Arc::clone(&clock),
            grant_clock: grant_clock.clone(),
            extractor: Arc::clone(&extractor),
            write_probe: health::write_probe(),
            list_cap: settings.list_cap,
        };
        let storing = update::UpdateStorage {
            db: db.clone(),
            clock: Arc::clone(&clock),
            grant_clock: grant_clock.clone(),
            list_cap: settings.list_cap,
        };
        let memory = Arc::new(Memory {
            updates: update::UpdateWriter::new(storing, &tasks),
            db,
            clock,
            grant_clock,
            settings,
            analyst: update::Analyst::new(Arc::clone(&extractor)),
            extractor,
            grants: Arc::clone(&grants),
            monthly_quota,
            update_limiter: update::UpdateLimiter::default(),
            audit_buffer: audit_buffer::AuditBuffer::default(),
            idempotency_locks: keyed_lock::KeyedLock::default(),
            tasks,
            metrics,
        });
        Self {
            memory,
            grants,
            console,
            sign_in,
            oauth,
            operator,
        }
    }

    /// Waits until the deadline for updates whose callers have gone, then closes the database.
    pub async fn close(&self, deadline: Instant) {
        let tasks = &self.memory.tasks;
        tasks.close();
        if tokio::time::timeout_at(deadline.into(), tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some updates were still under way and store nothing");
        }
        if let Err(error) = self.grants.flush_key_use().await {
            tracing::warn!(%error, "the last use of some keys was not stored");
        }
        if let Err(error) = self.grants.flush_repeated_calls().await {
            tracing::warn!(%error, "how often some agents called that wait was not stored");
        }
        if let Err(error) = self.grants.note_expired_grants().await {
            tracing::warn!(%error, "which grants expired last was not stored");
        }
        if let Err(error) = self.memory.store_audit_buffer().await {
            tracing::warn!(%error, "what happened last was not stored");
        }
        if let Err(error) = self.console.flush_request_log().await {
            tracing::warn!(%error, "the last requests were not logged");
        }
        self.operator.db.close().await;
    }

    /// Drops from memory what nobody has asked for in a while.
    pub fn evict_idle(&self) {
        self.grants.access.cache.run_pending_tasks();
        self.operator.db.evict_idle();
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.operator.clock.millis()
    }

    #[cfg(test)]
    async fn in_folder(folder: &tempfile::TempDir, clock: Arc<dyn Clock>) -> Self {
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let db = Db::open(&url).await.unwrap();
        let extractor = Arc::new(crate::extract::BuiltIn);
        Self::new(db, extractor, clock, Settings::default(), "")
    }
}
