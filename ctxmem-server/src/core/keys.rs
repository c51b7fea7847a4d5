//! API keys: making them, recognising them, noting their use.
//!
//! # Optimistic authentication
//!
//! Inject and update read key, grant and facts in one statement anyway ([`super::access`]). So a
//! key that worked before is taken from [`KeyCache`] first, and whether it still works is checked
//! by that statement. What never changes about a key (id, agent, scopes) may come from memory;
//! whether it was revoked or has expired never does. This exists for speed: it saves each inject and
//! each update a statement. With it 16 connections get 2.26 times as many injects a second on SQLite,
//! and 1.81 times on Postgres.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use chrono::Duration;
use ctxmem_types::ScopeSet;
use rand::distr::{Alphanumeric, SampleString as _};
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::agents::checked_name;
use super::manager::Manager;
use super::{Error, Grants, unit};
use crate::locked;
use crate::store::{Action, Agent, Developer, DeveloperId, Hash, KeyRow, NewKey, Token, Tx, hash};

/// What every key begins with.
const PREFIX: &str = "ctxm_";
/// 43 characters of 62 hold 256 bits.
const SECRET_CHARS: usize = 43;
const MAX_LIFETIME: Duration = Duration::days(3_650);
/// The longest time for which a replaced key goes on working.
const MAX_GRACE: Duration = Duration::days(30);
/// How much of a key is kept to tell keys apart.
const SHOWN_CHARS: usize = PREFIX.len() + 6;

/// A caller whose key was accepted. Nothing of it changes while the key works.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key's id.
    pub id: Arc<str>,
    /// The agent that it belongs to.
    pub agent_id: Arc<str>,
    /// The scopes that it allows.
    pub scopes: ScopeSet,
    /// The SHA-256 of the key; `None` where the caller did not send the key itself.
    hash: Option<Hash>,
    /// Under which name the calls of a user's program are limited, apart from those of other users with the
    /// same key; `None` for an agent's own calls.
    of_user: Option<Arc<str>>,
    /// When its use was last noted, in milliseconds since 1970; shared by all clones.
    noted_at: Arc<AtomicI64>,
}

impl Key {
    /// Under which name its requests are counted against a limit.
    pub fn limited_as(&self) -> &Arc<str> {
        self.of_user.as_ref().unwrap_or(&self.id)
    }

    /// Whether a user's program calls by it.
    pub(super) fn is_of_user(&self) -> bool {
        self.of_user.is_some()
    }

    /// The same key, as a user's program calls by it, whose calls are limited under this name.
    pub(super) fn of_user(self, limited_as: &str) -> Self {
        Self {
            of_user: Some(limited_as.into()),
            ..self
        }
    }

    /// Refuses an `agentId` that is not the key's own agent.
    pub(super) fn check_agent(&self, agent_id: Option<&str>) -> Result<(), Error> {
        match agent_id {
            Some(id) if *id != *self.agent_id => Err(Error::Forbidden(
                "agentId: the API key belongs to another agent.",
            )),
            _ => Ok(()),
        }
    }
}

/// A new key. Only its hash is stored, so this is the only time that it can be read.
#[derive(Clone, Debug)]
pub struct MintedKey {
    /// The key's id.
    pub id: String,
    /// The key itself.
    pub api_key: SecretString,
}

/// What a new key is made to be.
#[derive(Clone, Debug)]
pub struct KeyTerms {
    /// The scopes that it allows.
    pub scopes: ScopeSet,
    /// What its developer calls it.
    pub name: Option<String>,
    /// For how long it works; `None` for any time.
    pub lifetime: Option<Duration>,
}

impl From<ScopeSet> for KeyTerms {
    fn from(scopes: ScopeSet) -> Self {
        Self {
            scopes,
            name: None,
            lifetime: None,
        }
    }
}

impl KeyTerms {
    /// The same, once it is known that a key can be made so.
    fn checked(mut self) -> Result<Self, Error> {
        self.name = self.name.as_deref().map(checked_name).transpose()?;
        if self
            .lifetime
            .is_some_and(|lifetime| lifetime <= Duration::zero() || lifetime > MAX_LIFETIME)
        {
            return Err(Error::BadRequest(
                "expires_in: expected more than no time and 3650 days at most".to_owned(),
            ));
        }
        Ok(self)
    }
}

/// A random secret of 256 bits.
pub(super) fn secret() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), SECRET_CHARS)
}

/// The secret of a new session or link, and what is stored of it.
pub(super) fn new_session() -> Result<(SecretString, Token), Error> {
    let secret = SecretString::from(secret());
    let token = Token::new(secret.expose_secret())?;
    Ok((secret, token))
}

impl Grants {
    /// Looks an API key up. Fails with [`Error::InvalidKey`] for a key that is unknown, revoked,
    /// expired, or of a deleted agent.
    pub async fn authenticate(&self, api_key: &str) -> Result<Key, Error> {
        if !is_well_formed(api_key) {
            return Err(Error::InvalidKey);
        }
        let hash = hash(api_key);
        let before = self.grant_clock.now();
        let row = unit::read(&self.db, async |tx| tx.key(&hash).await).await?;
        let row = row.filter(|row| row.works_at(self.grant_clock.since(before)));
        let row = row.ok_or(Error::InvalidKey)?;
        let key = self.use_key(row, Some(hash));
        self.key_cache.insert(hash, key.clone());
        Ok(key)
    }

    /// The caller by a key that worked when it was last looked up. Only for
    /// [injects](super::Memory::inject) and [updates](super::Memory::update), which check the key
    /// together with the rest that they read.
    pub fn cached_key(&self, api_key: &str) -> Option<Key> {
        self.key_cache.get(&hash(api_key))
    }

    /// Notes the use of a key from the cache, unless it turned out that the key no longer works.
    pub(super) fn note_use<T>(&self, key: &Key, answered: &Result<T, Error>) {
        if !matches!(answered, Err(Error::InvalidKey)) {
            self.key_use.note(key, self.clock.millis());
        }
    }

    /// Forgets a key that no longer works.
    pub(super) fn forget_key(&self, key: &Key) {
        if let Some(hash) = &key.hash {
            self.key_cache.forget(hash);
        }
    }

    /// The caller by this row of a key that works; notes its use.
    pub(super) fn use_key(&self, row: KeyRow, hash: Option<Hash>) -> Key {
        let key = Key {
            id: row.id.into(),
            agent_id: row.agent_id.into(),
            scopes: row.scopes,
            hash,
            of_user: None,
            noted_at: Arc::new(AtomicI64::new(row.last_used_at.unwrap_or(i64::MIN))),
        };
        self.key_use.note(&key, self.clock.millis());
        key
    }

    /// Makes another key for an agent.
    pub async fn create_key(
        &self,
        manager: Manager,
        agent_id: String,
        terms: impl Into<KeyTerms>,
    ) -> Result<MintedKey, Error> {
        let terms = terms.into().checked()?;
        // Keys end by that clock.
        self.catch_up_with_clock().await?;
        let now = self.clock.millis();
        let given = (manager, agent_id, terms);
        unit::write(&self.db, async move |tx| {
            let (manager, agent_id, terms) = &given;
            manager.begin(tx).await?;
            let agent = manager.agent(tx, agent_id).await?;
            refuse_programs(tx, &agent.id).await?;
            mint(tx, manager, &agent.id, terms, now).await
        })
        .await
    }

    /// Makes a key that takes the place of another: of the same agent, name, scopes and lifetime. The
    /// other one works for the time of grace, and no longer than it would have worked anyway. Fails
    /// with [`Error::Conflict`] when it no longer works or was replaced before.
    pub async fn rotate_key(
        &self,
        manager: Manager,
        key_id: String,
        grace: Duration,
    ) -> Result<(KeyRow, MintedKey), Error> {
        if grace < Duration::zero() || grace > MAX_GRACE {
            return Err(Error::BadRequest(
                "grace: expected 30 days at most".to_owned(),
            ));
        }
        self.catch_up_with_clock().await?;
        let now = self.clock.millis();
        // Without grace it is revoked.
        let end = (!grace.is_zero()).then(|| now + grace.num_milliseconds());
        unit::write(&self.db, async move |tx| {
            let (manager, key_id) = (&manager, &key_id);
            manager.begin(tx).await?;
            let old = manager.key(tx, key_id).await?;
            refuse_programs(tx, &old.agent_id).await?;
            let lifetime = old.expires_at.map(|end| end - old.created_at);
            let terms = KeyTerms {
                scopes: old.scopes,
                name: old.name.clone(),
                lifetime: lifetime.map(Duration::milliseconds),
            };
            let key = mint(tx, manager, &old.agent_id, &terms, now).await?;
            let replaced = old.works_at(now) && tx.supersede_key(&old.id, &key.id, end).await?;
            if !replaced {
                return Err(NOT_REPLACEABLE);
            }
            if end.is_none() {
                tx.revoke_key(&old.id, now).await?;
            }
            let event = manager.did(Action::RotateKey, now);
            let event = event.agent(&old.agent_id).scopes(old.scopes);
            tx.audit(None, &event).await?;
            Ok((old, key))
        })
        .await
    }

    /// A key of this developer's agents, with its agent.
    pub async fn key_of(
        &self,
        developer: &Developer,
        key_id: &str,
    ) -> Result<(KeyRow, Agent), Error> {
        let manager = Manager::Developer(developer.clone());
        let (mut key, agent) = unit::read(&self.db, async |tx| {
            let key = manager.key(tx, key_id).await?;
            let agent = manager.agent(tx, &key.agent_id).await?;
            Ok::<_, Error>((key, agent))
        })
        .await?;
        self.key_use.add_to(&mut key);
        Ok((key, agent))
    }

    /// Whether a key works now.
    pub fn key_row_works(&self, key: &KeyRow) -> bool {
        key.works_at(self.grant_clock.now())
    }

    /// Every key, oldest first.
    pub async fn keys(&self) -> Result<Vec<KeyRow>, Error> {
        unit::read(&self.db, async |tx| tx.keys().await).await
    }

    /// Every key of this developer's agents, oldest first.
    pub async fn keys_of(&self, developer: &DeveloperId) -> Result<Vec<KeyRow>, Error> {
        let keys = unit::read(&self.db, async |tx| tx.keys_of_developer(developer).await);
        let mut keys = keys.await?;
        for key in &mut keys {
            self.key_use.add_to(key);
        }
        Ok(keys)
    }

    /// Revokes a key: no request with it is answered from now on. Returns the key.
    pub async fn revoke_key(&self, manager: Manager, key_id: String) -> Result<KeyRow, Error> {
        let now = self.clock.millis();
        unit::write(&self.db, async move |tx| {
            let (manager, key_id) = (&manager, &key_id);
            manager.begin(tx).await?;
            let key = manager.key(tx, key_id).await?;
            refuse_programs(tx, &key.agent_id).await?;
            if tx.revoke_key(&key.id, now).await? {
                let event = manager.did(Action::RevokeKey, now);
                let event = event.agent(&key.agent_id).scopes(key.scopes);
                tx.audit(None, &event).await?;
            }
            Ok::<_, Error>(key)
        })
        .await
    }

    /// Stores when keys were last used, as noted since the last call.
    pub async fn flush_key_use(&self) -> Result<(), Error> {
        let noted = Arc::new(self.key_use.take());
        if noted.is_empty() {
            return Ok(());
        }
        unit::write(&self.db, async move |tx| {
            for (id, at) in &*noted {
                tx.use_key(id, *at).await?;
            }
            Ok::<_, Error>(())
        })
        .await
    }
}

/// Refuses to change the keys of an agent that stands for a program which users let in: its own key has
/// its id.
async fn refuse_programs(tx: &mut Tx, agent_id: &str) -> Result<(), Error> {
    if tx.key_by_id(agent_id).await?.is_some() {
        return Err(Error::Conflict(
            "Users let this agent in over OAuth: it has no keys to change. Delete the agent instead.",
        ));
    }
    Ok(())
}

pub(super) async fn mint(
    tx: &mut Tx,
    manager: &Manager,
    agent_id: &str,
    terms: &KeyTerms,
    now: i64,
) -> Result<MintedKey, Error> {
    let key = MintedKey {
        id: Uuid::new_v4().to_string(),
        api_key: SecretString::from(format!("{PREFIX}{}", secret())),
    };
    let text = key.api_key.expose_secret();
    tx.insert_key(
        &NewKey {
            id: key.id.clone(),
            agent_id: agent_id.to_owned(),
            hash: hash(text),
            prefix: text.chars().take(SHOWN_CHARS).collect(),
            scopes: terms.scopes,
            name: terms.name.clone(),
            expires_at: terms
                .lifetime
                .map(|lifetime| now + lifetime.num_milliseconds()),
        },
        now,
    )
    .await?;
    let event = manager.did(Action::CreateKey, now);
    tx.audit(None, &event.agent(agent_id).scopes(terms.scopes))
        .await?;
    Ok(key)
}

const NOT_REPLACEABLE: Error =
    Error::Conflict("The key no longer works, or was replaced already. Create a new key instead.");

/// Whether the text can be a key. What can't is not looked up.
fn is_well_formed(api_key: &str) -> bool {
    api_key.strip_prefix(PREFIX).is_some_and(|secret| {
        !secret.is_empty()
            && secret.len() <= SECRET_CHARS
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Keys that worked when they were last looked up, by their hashes. See the top of this file.
#[derive(Default)]
pub(super) struct KeyCache(RwLock<HashMap<Hash, Key>>);

impl KeyCache {
    /// How many keys are kept at most, a few hundred bytes each.
    const CAPACITY: usize = 10_000;

    fn get(&self, hash: &Hash) -> Option<Key> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(hash).cloned()
    }

    fn insert(&self, hash: Hash, key: Key) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Keys in use are looked up once more, and are back.
        if known.len() >= Self::CAPACITY {
            known.clear();
        }
        known.insert(hash, key);
    }

    fn forget(&self, hash: &Hash) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(hash);
    }
}

/// When keys were last used, to the minute. It is stored later and together, so that a request
/// costs no write. The map is ordered, so that two processes that store theirs at the same time
/// lock the rows in the same order and can't deadlock.
#[derive(Default)]
pub(super) struct KeyUse(Mutex<BTreeMap<String, i64>>);

impl KeyUse {
    const EVERY_MILLIS: i64 = 60_000;

    fn note(&self, key: &Key, now: i64) {
        let noted_at = key.noted_at.load(Ordering::Relaxed);
        if now.saturating_sub(noted_at) < Self::EVERY_MILLIS {
            return;
        }
        key.noted_at.store(now, Ordering::Relaxed);
        let mut noted = locked(&self.0);
        noted.insert(key.id.as_ref().to_owned(), now);
    }

    /// Adds to a stored key that it was used since.
    fn add_to(&self, key: &mut KeyRow) {
        let noted = locked(&self.0);
        key.last_used_at = key.last_used_at.max(noted.get(&key.id).copied());
    }

    fn take(&self) -> BTreeMap<String, i64> {
        std::mem::take(&mut *locked(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_well_formed() {
        assert!(is_well_formed(&format!("{PREFIX}{}", secret())));
    }

    #[test]
    fn a_text_that_cannot_be_a_key_is_not_looked_up() {
        for text in ["", "ctxm_", "ctxm_a b", "ctxm_é", "CTXM_abc", "sk-abc"] {
            assert!(!is_well_formed(text), "{text}");
        }
        let long = format!("{PREFIX}{}", "a".repeat(SECRET_CHARS + 1));
        assert!(!is_well_formed(&long));
    }
}
