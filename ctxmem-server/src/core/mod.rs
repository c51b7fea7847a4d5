//! The rules of the service, one file a noun. They name neither HTTP nor SQL.

mod access;
mod agent_profiles;
mod agents;
mod audit;
mod audit_buffer;
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
mod json;
mod keyed_lock;
mod keys;
mod manager;
mod merge;
mod metrics;
mod multi_value;
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
mod team;
mod team_invitations;
mod time_zone;
mod transfer;
mod update;
mod usage;
mod users;
mod wording;
mod words;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

use tokio_util::task::TaskTracker;

use crate::extract::Extractor;
use crate::store::{Db, Hash};
use json::json;

// The rows and names that pages and commands show as they are stored.
pub use crate::extract::{ExtractError, quotation};
pub use crate::store::{
    Action, Actor, Agent, AgentAccess, AgentProfile, AgentSummary, AuditDetails, AuditEvent,
    AuditRow, Author, Choices, ConsentRequest, Developer, DeveloperId, ExtractedBy, FactCounts,
    FactId, FactVersion, FactWithProvenance, GrantChange, InvitationRow, KeyRow, ListedSession,
    MemberId, MemberRow, Needs, Outcome, Purpose, RequestRow, Role, StoreError, TrailFrom,
    TrailPart, Usage, UserKey,
};
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
pub use oidc_sign_ins::{EndedOidcSignIn, OidcSignIn};
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
pub use team::{Team, Whom};
pub use team_invitations::{Invited, Joining};
pub use transfer::{
    End, ForeignFormat, ForeignMemory, Header, Import, ImportError, Imported, Importer, Line,
    NotTaken, read_foreign,
};
pub use update::OnModelFailure;
pub use usage::Daily;
pub use users::{UserGrant, UserSummary};

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

/// The path of the pages at which users allow an agent or refuse it, before the agent's id.
const CONSENT_PAGES: &str = "/consent/";

/// The service without its transport.
pub struct Core {
    db: Db,
    extractor: Arc<dyn Extractor>,
    clock: Arc<dyn Clock>,
    grant_clock: grant_clock::GrantClock,
    settings: Settings,
    /// It can be set anew; 0 for no quota.
    monthly_quota: AtomicU32,
    /// What the addresses of consent pages begin with.
    consent_pages: String,
    waiting: first_grant::Waiting,
    access: access::AccessReader,
    write_probe: health::WriteProbe,
    analyst: update::Analyst,
    updates: update::UpdateWriter,
    update_room: update::UpdateRoom,
    key_cache: keys::KeyCache,
    key_use: keys::KeyUse,
    passwords: passwords::Passwords,
    audit_buffer: audit_buffer::AuditBuffer,
    request_log: request_log::RequestLog,
    /// Requests with the same agent and idempotency key wait for each other here.
    idempotency_locks: keyed_lock::KeyedLock<(String, Hash)>,
    tasks: TaskTracker,
    metrics: metrics::CoreMetrics,
}

impl Core {
    /// Puts the parts together.
    pub fn new(
        db: Db,
        extractor: Arc<dyn Extractor>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Self {
        let metrics = metrics::CoreMetrics::new(extractor.is_model());
        let tasks = TaskTracker::new();
        let grant_clock = grant_clock::GrantClock::new(Arc::clone(&clock));
        Self {
            monthly_quota: AtomicU32::new(settings.monthly_quota.map_or(0, NonZeroU32::get)),
            access: access::AccessReader::new(
                db.clone(),
                &settings,
                metrics.cache_evictions.clone(),
                &tasks,
            ),
            updates: update::UpdateWriter::new(
                db.clone(),
                Arc::clone(&clock),
                grant_clock.clone(),
                settings.list_cap,
                &tasks,
            ),
            write_probe: health::WriteProbe::default(),
            analyst: update::Analyst::new(Arc::clone(&extractor)),
            update_room: update::UpdateRoom::default(),
            key_cache: keys::KeyCache::default(),
            db,
            extractor,
            clock,
            grant_clock,
            settings,
            consent_pages: CONSENT_PAGES.to_owned(),
            waiting: first_grant::Waiting::default(),
            key_use: keys::KeyUse::default(),
            passwords: passwords::Passwords::new(settings.password_cost),
            audit_buffer: audit_buffer::AuditBuffer::default(),
            request_log: request_log::RequestLog::default(),
            idempotency_locks: keyed_lock::KeyedLock::default(),
            tasks,
            metrics,
        }
    }

    /// Which agents get access by their first call, unless the user chose to be asked.
    pub fn first_grant(&self) -> FirstGrant {
        self.settings.first_grant
    }

    /// Sets the address of the site, where users decide which agents get access.
    #[must_use]
    pub fn at_site(mut self, origin: &str) -> Self {
        self.consent_pages = format!("{origin}{CONSENT_PAGES}");
        self
    }

    /// Waits until the deadline for updates whose callers have gone, then closes the database.
    pub async fn close(&self, deadline: Instant) {
        self.tasks.close();
        if tokio::time::timeout_at(deadline.into(), self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some updates were still under way and store nothing");
        }
        if let Err(error) = self.flush_key_use().await {
            tracing::warn!(%error, "the last use of some keys was not stored");
        }
        if let Err(error) = self.flush_repeated_calls().await {
            tracing::warn!(%error, "how often some agents called that wait was not stored");
        }
        if let Err(error) = self.note_expired_grants().await {
            tracing::warn!(%error, "which grants expired last was not stored");
        }
        if let Err(error) = self.store_audit_buffer().await {
            tracing::warn!(%error, "what happened last was not stored");
        }
        if let Err(error) = self.flush_request_log().await {
            tracing::warn!(%error, "the last requests were not logged");
        }
        self.db.close().await;
    }

    /// Drops from memory what nobody has asked for in a while.
    pub fn evict_idle(&self) {
        self.access.evict_idle();
        self.db.evict_idle();
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }
}
