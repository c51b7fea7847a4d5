//! The rules of the service, one file a noun. They name neither HTTP nor SQL.

mod admission;
mod agents;
mod audit;
mod batch;
mod cache;
mod carried;
mod clock;
mod context;
mod demo;
mod developers;
mod doubles;
mod erase;
mod error;
mod export;
mod facts;
mod grants;
mod health;
mod idempotency;
mod inject;
mod journal;
mod keyed_lock;
mod keys;
mod lesson;
mod manager;
mod merge;
mod oidc_sign_ins;
mod passwords;
mod playground;
mod preview;
mod quota;
mod render;
mod sessions;
mod several;
mod time_zone;
mod unlearned;
mod update;
mod usage;
mod wording;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::task::TaskTracker;

use crate::extract::Extractor;
use crate::store::{Db, Hash};

pub use crate::store::Purpose;
pub use agents::NewAgent;
pub use cache::CacheFigures;
pub use clock::{Clock, SystemClock};
pub use error::Error;
pub use export::{Export, ExportedContext};
pub use facts::Seen;
pub use grants::{Granter, State};
pub use idempotency::{Answered, IdempotencyKey};
pub use inject::{Injected, Told};
pub use keys::{Key, MintedKey};
pub use manager::Manager;
pub use oidc_sign_ins::{EndedOidcSignIn, OidcSignIn};
pub use playground::test_user;
pub use preview::{Preview, Telling};
// An inject spends its time here, so the benchmarks measure it alone.
#[doc(hidden)]
pub use render::block;
pub use sessions::SignInLink;
pub use usage::Daily;

/// What operators can set.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many tokens the block in a prompt may take.
    pub token_budget: usize,
    /// How many updates an agent has a calendar month; `None` for any number.
    pub monthly_quota: Option<NonZeroU32>,
    /// How many facts each scope holds that is a list; `None` for any number.
    pub list_cap: Option<NonZeroU32>,
    /// For how many days the audit log is kept; `None` for ever.
    pub audit_days: Option<NonZeroU32>,
    /// How much memory what agents are told may take, in bytes or so; 0 for none.
    pub cache_bytes: u64,
}

/// The service, less its transport.
pub struct Core {
    db: Db,
    extractor: Arc<dyn Extractor>,
    clock: Arc<dyn Clock>,
    settings: Settings,
    admissions: admission::Admissions,
    lessons: lesson::Lessons,
    known_keys: keys::KnownKeys,
    key_use: keys::KeyUse,
    passwords: passwords::Passwords,
    journal: journal::Journal,
    /// Of requests with the same agent and idempotency key, whose turn it is.
    turns: keyed_lock::KeyedLock<(String, Hash)>,
    tasks: TaskTracker,
}

impl Core {
    /// Puts the parts together.
    pub fn new(
        db: Db,
        extractor: Arc<dyn Extractor>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Self {
        let tasks = TaskTracker::new();
        Self {
            admissions: admission::Admissions::new(db.clone(), &settings, &tasks),
            lessons: lesson::lessons(db.clone(), Arc::clone(&clock), settings.list_cap, &tasks),
            known_keys: keys::KnownKeys::default(),
            db,
            extractor,
            clock,
            settings,
            key_use: keys::KeyUse::default(),
            passwords: passwords::Passwords::default(),
            journal: journal::Journal::default(),
            turns: keyed_lock::KeyedLock::default(),
            tasks,
        }
    }

    /// Waits for updates whose callers have gone, until the deadline at most, then closes
    /// the database.
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
        if let Err(error) = self.store_journal().await {
            tracing::warn!(%error, "what happened last was not stored");
        }
        self.db.close().await;
    }

    /// What the memory of what agents are told did and holds.
    pub fn cache_figures(&self) -> CacheFigures {
        self.admissions.cache.figures()
    }

    /// Milliseconds since 1970.
    fn now(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }
}
