//! Undo of a deletion. What was deleted is with the page that says so, sealed for the session, and nowhere
//! else: the server keeps nothing that could bring it back.

use std::num::NonZeroU32;

use ctxmem_types::{ScopeSet, UserId};
use serde::{Deserialize, Serialize};

use super::facts::{CHANGED, has_place, keep_out, note_facts, unblock};
use super::{Error, Memory, unit};
use crate::extract::Candidate;
use crate::store::{Action, Author, FactRecord, FactWithProvenance, StoredFact, Token, Tx, User};

/// What the facts are sealed for.
const PURPOSE: &str = "deleted facts";

/// How long a sealed deletion is at most: a cookie takes it to the page, and proxies take 4 KiB of headers.
const MAX_SEALED: usize = 2_500;

const NOT_SEALED: &str =
    "deleted: expected what the page said was deleted, some minutes ago at most";

/// How many facts are sealed at most. More are never short enough: each takes more than 50 bytes.
const MOST: usize = MAX_SEALED / 50;

/// For how long a deletion can be undone.
const UNDO_MILLIS: i64 = 15 * 60 * 1_000;

/// What was deleted, and of whom.
#[derive(Serialize, Deserialize)]
struct Deleted {
    user_id: UserId,
    /// When, in milliseconds since 1970.
    at: i64,
    facts: Vec<FactRecord>,
}

impl Memory {
    /// Seals facts for a session, so that their deletion can be undone; `None` where there are too many.
    pub fn seal_deleted<'f>(
        &self,
        session: &str,
        user_id: &UserId,
        facts: impl IntoIterator<Item = &'f FactWithProvenance>,
    ) -> Option<String> {
        let facts: Vec<_> = facts.into_iter().take(MOST + 1).collect();
        if facts.len() > MOST {
            return None;
        }
        let facts = facts.into_iter().map(|kept| {
            let agent_id = match &kept.author {
                Author::User => String::new(),
                Author::Agent { id, .. } => id.clone(),
            };
            FactRecord::of(agent_id, kept.fact.clone())
        });
        let deleted = Deleted {
            user_id: user_id.clone(),
            at: self.clock.millis(),
            facts: facts.collect(),
        };
        let text = serde_json::to_string(&deleted).ok()?;
        if text.len() > MAX_SEALED {
            return None;
        }
        let sealed = Token::new(session).ok()?.seal_for_browser(PURPOSE, &text);
        sealed.ok().filter(|sealed| sealed.len() <= MAX_SEALED)
    }

    /// How many facts were deleted, and which names among theirs have one value: to keep such a fact out keeps out
    /// every value of its name.
    pub fn deleted_names(
        &self,
        user_id: &UserId,
        session: &str,
        sealed: &str,
    ) -> Result<(usize, Vec<String>), Error> {
        let facts = self.open_deleted(user_id, session, sealed)?;
        let alone = facts
            .iter()
            .filter(|fact| fact.name.as_ref() == Some(&fact.slot));
        let names = alone.filter_map(|fact| fact.name.clone()).collect();
        Ok((facts.len(), names))
    }

    /// Has agents not save again what was deleted.
    pub async fn keep_deleted_out(
        &self,
        user_id: UserId,
        session: &str,
        sealed: &str,
    ) -> Result<(), Error> {
        let facts = self.open_deleted(&user_id, session, sealed)?;
        unit::write(&self.db, async move |tx| {
            let (user_id, facts) = (&user_id, &facts);
            is_still_known(tx, user_id).await?;
            for fact in facts {
                if tx.fact(user_id, fact.scope, &fact.slot).await?.is_some() {
                    return Err(CHANGED);
                }
            }
            let slots = facts.iter().map(|fact| (fact.scope, &*fact.slot));
            keep_out(tx, user_id, slots).await
        })
        .await
    }

    /// The facts that were sealed for this session of this user, not long ago.
    fn open_deleted(
        &self,
        user_id: &UserId,
        session: &str,
        sealed: &str,
    ) -> Result<Vec<FactRecord>, Error> {
        let opened = Token::new(session)?.open_from_browser(PURPOSE, sealed);
        let deleted = opened.and_then(|text| serde_json::from_str::<Deleted>(&text).ok());
        let now = self.clock.millis();
        let is_theirs = |deleted: &Deleted| {
            deleted.user_id == *user_id && (0..UNDO_MILLIS).contains(&(now - deleted.at))
        };
        let deleted = deleted.filter(is_theirs);
        let deleted = deleted.ok_or_else(|| Error::BadRequest(NOT_SEALED.to_owned()))?;
        Ok(deleted.facts)
    }

    /// Puts deleted facts back as they were, all of them or none, and answers how many. Fails when
    /// another fact stands in the place of one, or its scope has no room.
    pub async fn restore_facts(
        &self,
        user_id: UserId,
        session: &str,
        sealed: &str,
    ) -> Result<usize, Error> {
        let facts = self.open_deleted(&user_id, session, sealed)?;
        let (now, list_cap, count) = (self.clock.millis(), self.settings.list_cap, facts.len());
        unit::write(&self.db, async move |tx| {
            let (user_id, facts) = (&user_id, &facts);
            let user = is_still_known(tx, user_id).await?;
            let mut stand = 0;
            for record in facts {
                let stored = tx.fact(user_id, record.scope, &record.slot).await?;
                // A fact is read without its origin here.
                let sealed = StoredFact {
                    origin: None,
                    ..record.to_stored()
                };
                stand += usize::from(stored == Some(sealed));
            }
            // Who presses twice means it once.
            if stand == count {
                return Ok::<_, Error>(count);
            }
            for record in facts {
                restore(tx, user_id, record, list_cap).await?;
            }
            tx.look_again_for_auto_delete(user_id).await?;
            tx.touch_user(user_id, now, user.next_position).await?;
            let scopes: ScopeSet = facts.iter().map(|record| record.scope).collect();
            note_facts(tx, user_id, Action::RestoreFact, scopes, count, now).await?;
            Ok(count)
        })
        .await
    }
}

/// The user, locked. After an erasure nothing that was there before comes back.
async fn is_still_known(tx: &mut Tx, user_id: &UserId) -> Result<User, Error> {
    let user = tx.lock_user(user_id).await?.filter(|user| user.has_key);
    user.ok_or(Error::Conflict("Everything was deleted meanwhile."))
}

async fn restore(
    tx: &mut Tx,
    user_id: &UserId,
    record: &FactRecord,
    list_cap: Option<NonZeroU32>,
) -> Result<(), Error> {
    let fact = record.to_stored();
    if tx.fact(user_id, fact.scope, &fact.slot).await?.is_some() {
        return Err(CHANGED);
    }
    let candidate = Candidate {
        key: fact.name.clone(),
        requested: fact.requested,
        ..Candidate::item(fact.scope, &*fact.value)
    };
    has_place(tx, user_id, &candidate, list_cap).await?;
    tx.put_fact(user_id, &record.agent_id, &fact).await?;
    unblock(tx, user_id, &fact).await
}
