//! How an agent stands with a user: whether its key is good, what it is granted, and what it is
//! told. Found in memory where that is known to hold still, else read by one statement,
//! together with what others ask at that moment.
//!
//! On SQLite an entry holds until something is committed that may concern it (see
//! [`crate::store::Stamp`]). Where the store can't tell, it is asked each time, and only
//! sends the facts when they are not those of the version that is in memory.

use std::sync::Arc;

use ctxmem_types::{ScopeSet, UserId};
use tokio_util::task::TaskTracker;

use super::batch::Batcher;
use super::cache::Cache;
use super::inject::{Telling, told};
use super::{Core, Error, Key, Settings};
use crate::store::{Admission, Asked, Db, Hash, Stamp, StoreError, Terms, Wanted};

/// How many requests one statement answers at most.
const MOST: usize = 64;
/// How many statements are under way at once.
const AT_ONCE: usize = 4;

/// What an agent's request needs to know of its user.
#[derive(Clone)]
pub(super) struct Standing {
    /// As of when, where that can be told.
    stamp: Option<Stamp>,
    /// What the newest grant allows, whatever its state.
    pub(super) grant: Option<Terms>,
    /// Work that began under another epoch stores nothing.
    pub(super) epoch: i64,
    version: i64,
    developer_stored: bool,
    telling: Option<Arc<Telling>>,
}

impl Standing {
    /// About how many bytes it takes in memory, its place in the cache included.
    pub(super) fn bytes(&self) -> usize {
        const FIXED: usize = 512;
        FIXED + self.telling.as_ref().map_or(0, |telling| telling.bytes())
    }

    fn effective(&self, key: &Key, now: i64) -> Option<ScopeSet> {
        self.grant
            .and_then(|grant| grant.effective(key.scopes, now))
    }

    /// Whether what is told still holds.
    fn is_of(&self, admission: &Admission) -> bool {
        (self.version, self.developer_stored) == (admission.version, admission.developer_stored)
    }

    /// What the agent is told, where that is known and it may be told the same scopes now.
    fn telling(&self, effective: Option<ScopeSet>) -> Option<&Arc<Telling>> {
        let telling = self.telling.as_ref();
        telling.filter(|telling| telling.effective == effective)
    }
}

type Look = Result<Option<Admission>, StoreError>;

/// Where standings are found.
pub(super) struct Admissions {
    pub(super) cache: Cache,
    looks: Batcher<Asked, Look>,
}

impl Admissions {
    pub(super) fn new(db: Db, settings: &Settings, tasks: &TaskTracker) -> Self {
        let looks = Batcher::new(MOST, AT_ONCE, tasks, move |asked: Vec<Asked>| {
            let db = db.clone();
            async move {
                let count = asked.len();
                let read = db.read(|tx| Box::pin(async move { tx.admissions(&asked).await }));
                match read.await {
                    Ok(admissions) => admissions.into_iter().map(Ok).collect(),
                    Err(error) => vec![Err(error); count],
                }
            }
        });
        Self {
            cache: Cache::new(settings.cache_bytes),
            looks,
        }
    }
}

impl Core {
    /// Refuses a request that names another agent than the key's, after a look whether the key
    /// is good.
    pub(super) async fn check_agent(
        &self,
        key: &Key,
        user_id: &UserId,
        agent_id: Option<&str>,
    ) -> Result<(), Error> {
        match key.check_agent(agent_id) {
            Ok(()) => Ok(()),
            Err(refused) => {
                self.standing(key, &self.db.user_key(user_id)).await?;
                Err(refused)
            }
        }
    }

    /// How the agent stands with the user now. Fails when its key is not good (any more).
    pub(super) async fn standing(
        &self,
        key: &Key,
        user_key: &Hash,
    ) -> Result<Arc<Standing>, Error> {
        let at = (*user_key, Arc::clone(&key.id));
        // Taken before anything is read: what is committed meanwhile makes it another.
        let stamp = self.db.stamp(user_key);
        let known = self.admissions.cache.get(&at);
        if let (Some(known), Some(stamp)) = (&known, stamp)
            && known.stamp.is_some_and(|was| was.has_same_access(&stamp))
        {
            self.admissions.cache.hit();
            return Ok(Arc::clone(known));
        }
        self.admissions.cache.miss();
        let admission = self.look(key, user_key, Wanted::Nothing).await?;
        let telling = known
            .filter(|known| known.is_of(&admission))
            .and_then(|known| known.telling.clone());
        Ok(self.keep(at, stamp, &admission, telling))
    }

    /// What the agent is told of the user now, and the grant by which it is. Fails when its
    /// key is not good (any more).
    pub(super) async fn telling(
        &self,
        key: &Key,
        user_key: &Hash,
    ) -> Result<(Option<Terms>, Arc<Telling>), Error> {
        let at = (*user_key, Arc::clone(&key.id));
        let stamp = self.db.stamp(user_key);
        let known = self.admissions.cache.get(&at);
        if let Some(known) = &known
            && stamp.is_some()
            && known.stamp == stamp
            && let Some(telling) = known.telling(known.effective(key, self.now()))
        {
            self.admissions.cache.hit();
            return Ok((known.grant, Arc::clone(telling)));
        }
        self.admissions.cache.miss();
        let wanted = match &known {
            Some(known) if known.telling.is_some() => Wanted::FactsUnless(known.version),
            _ => Wanted::Facts,
        };
        let mut admission = self.look(key, user_key, wanted).await?;
        let mut effective = effective(&admission, key, self.now());
        if admission.facts.is_none() {
            // The facts are those that are known; what else it depends on may be another.
            if let Some(known) = known
                && known.is_of(&admission)
                && let Some(telling) = known.telling(effective)
            {
                let telling = Arc::clone(telling);
                let standing = self.keep(at, stamp, &admission, Some(Arc::clone(&telling)));
                return Ok((standing.grant, telling));
            }
            admission = self.look(key, user_key, Wanted::Facts).await?;
            effective = self::effective(&admission, key, self.now());
        }
        let facts = admission.facts.take().unwrap_or_default();
        let told = told(
            &facts,
            admission.developer_stored,
            effective,
            self.settings.token_budget,
        );
        let telling = Arc::new(Telling::new(told, &facts, effective)?);
        let standing = self.keep(at, stamp, &admission, Some(Arc::clone(&telling)));
        Ok((standing.grant, telling))
    }

    async fn look(&self, key: &Key, user_key: &Hash, wanted: Wanted) -> Result<Admission, Error> {
        let asked = Asked {
            key_id: Arc::clone(&key.id),
            user_key: *user_key,
            wanted,
        };
        let looked = self.admissions.looks.run(asked).await;
        let admission = looked.ok_or(StoreError::Interrupted)??;
        if admission.is_none() {
            self.forget_key(key);
        }
        admission.ok_or(Error::InvalidKey)
    }

    fn keep(
        &self,
        at: (Hash, Arc<str>),
        stamp: Option<Stamp>,
        admission: &Admission,
        telling: Option<Arc<Telling>>,
    ) -> Arc<Standing> {
        let standing = Arc::new(Standing {
            stamp,
            grant: admission.grant,
            epoch: admission.epoch,
            version: admission.version,
            developer_stored: admission.developer_stored,
            telling,
        });
        self.admissions.cache.insert(at, Arc::clone(&standing));
        standing
    }
}

fn effective(admission: &Admission, key: &Key, now: i64) -> Option<ScopeSet> {
    let grant = admission.grant?;
    grant.effective(key.scopes, now)
}
