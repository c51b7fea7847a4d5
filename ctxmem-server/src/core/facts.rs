//! Edits of single facts by their user: adding, correcting and deleting. What users write passes
//! the same gate as what is extracted.
//!
//! A deletion cannot be undone, not even for a minute: an undo needs a copy. On the server the fact
//! would not be gone when the page says so; in a form it could come back after an erasure.

use std::collections::HashMap;
use std::num::NonZeroU32;

use ctxmem_types::{Scope, ScopeSet, SourceType, UserId};

use super::{Error, Memory, merge, multi_value, unit, wording};
use crate::extract::{Candidate, admit_by_hand};
use crate::store::{
    Action, Actor, AuditEvent, BlockedFacts, FactId, FactVersion, FactWithProvenance, StoredFact,
    Tx,
};

/// Stands where an agent's id would, on what the user wrote.
const BY_HAND: &str = "";

const NO_FACT: Error = Error::NotFound("There is no such fact.");
pub(super) const CHANGED: Error = Error::Conflict("Another value is there by now.");

/// The facts of a scope as the user looked at them. A page names them by when the newest was stored and
/// by all that were stored just then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeVersion {
    /// When the newest was first stored, in milliseconds since 1970.
    newest: i64,
    /// Those that were first stored at this instant.
    then: Vec<FactVersion>,
}

impl ScopeVersion {
    /// Of all facts of a scope.
    pub fn of<'f>(facts: impl Iterator<Item = &'f FactWithProvenance> + Clone) -> Self {
        let stored_at = |kept: &&FactWithProvenance| kept.fact.first_stored_at;
        let newest = facts.clone().map(|kept| stored_at(&kept)).max();
        let then = facts.filter(|kept| Some(stored_at(kept)) == newest);
        Self {
            then: then.map(FactWithProvenance::version).collect(),
            newest: newest.unwrap_or_default(),
        }
    }

    /// What a form names them by.
    pub fn to_text(&self) -> String {
        let then = self
            .then
            .iter()
            .map(|version| format!(".{}", version.to_text()));
        self.newest.to_string() + &then.collect::<String>()
    }

    /// Reads such a text; `None` where it is none.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let newest = parts.next()?.parse().ok()?;
        let then = parts.map(FactVersion::from_text).collect::<Option<_>>()?;
        Some(Self { newest, then })
    }

    /// Whether the user saw this fact as it is.
    pub fn holds(&self, kept: &FactWithProvenance) -> bool {
        kept.fact.first_stored_at < self.newest || self.then.contains(&kept.version())
    }
}

/// What the user writes in the place of a fact.
#[derive(Clone)]
pub struct Correction {
    /// The scope; `None` for the one that it has.
    pub scope: Option<Scope>,
    /// The name, where facts of the scope have names; `None` for the one that it has.
    pub name: Option<String>,
    /// The value.
    pub value: String,
}

impl Memory {
    /// Everything that is remembered of the user, by scope and in the order of storing.
    pub async fn facts_with_provenance(
        &self,
        user_id: &UserId,
    ) -> Result<Vec<FactWithProvenance>, Error> {
        unit::read(&self.db, async |tx| tx.facts_with_provenance(user_id).await).await
    }

    /// The fact with this id.
    pub async fn fact_with_provenance(
        &self,
        user_id: &UserId,
        id: &FactId,
    ) -> Result<FactWithProvenance, Error> {
        let fact = unit::read(&self.db, async |tx| {
            tx.fact_with_provenance(user_id, id).await
        });
        fact.await?.ok_or(NO_FACT)
    }

    /// How many facts agents must not save again, because the user deleted or corrected them and
    /// wants it so. Which ones they are, nobody can tell.
    pub async fn count_kept_out(&self, user_id: &UserId) -> Result<usize, Error> {
        let blocked_facts = unit::read(&self.db, async |tx| tx.blocked_facts(user_id).await);
        Ok(blocked_facts.await?.len())
    }

    /// Lifts all suppressions: agents may save those facts again.
    pub async fn let_all_in(&self, user_id: UserId) -> Result<(), Error> {
        unit::write(&self.db, async move |tx| {
            let user_id = &user_id;
            if tx
                .lock_user(user_id)
                .await?
                .is_some_and(|user| user.has_key)
            {
                tx.put_blocked_facts(user_id, &BlockedFacts::default())
                    .await?;
            }
            Ok::<_, Error>(())
        })
        .await
    }

    /// Adds a fact that the user wrote; a name is needed in the scopes that are maps. Under a
    /// name that holds several values it joins them. A scope that is full takes none: the user
    /// should say which one goes.
    pub async fn add_fact(
        &self,
        user_id: UserId,
        scope: Scope,
        name: Option<String>,
        value: String,
    ) -> Result<FactId, Error> {
        let fact = admitted(scope, name, value)?;
        let slot = merge::slot(&fact);
        let (now, list_cap) = (self.clock.millis(), self.settings.list_cap);
        let given = (user_id, slot, fact);
        unit::write(&self.db, async move |tx| {
            let (user_id, slot, fact) = &given;
            let user = tx.lock_or_add_user(user_id).await?;
            has_place(tx, user_id, fact, list_cap).await?;
            let fact = StoredFact {
                slot: slot.clone(),
                source_type: SourceType::Edited,
                position: user.next_position,
                ..StoredFact::observed(scope, fact.key.as_deref(), &fact.value, now)
            };
            tx.put_fact(user_id, BY_HAND, &fact).await?;
            unblock(tx, user_id, &fact).await?;
            tx.touch_user(user_id, now, user.next_position + 1).await?;
            note_facts(tx, user_id, Action::AddFact, scope.into(), 1, now).await?;
            Ok::<_, Error>(tx.fact_id(user_id, scope, &fact.slot))
        })
        .await
    }

    /// Puts the user's words in the place of what they saw, and answers the id of what stands there
    /// then. Where another fact says the same already, the two become one. Agents don't save the
    /// former wording again. Fails when the fact is gone or another value stands there, when the
    /// new one is known already under its new name, or finds no room in its new scope.
    pub async fn correct_fact(
        &self,
        user_id: UserId,
        seen: FactVersion,
        correction: Correction,
    ) -> Result<FactId, Error> {
        let (now, list_cap) = (self.clock.millis(), self.settings.list_cap);
        let given = (user_id, seen, correction);
        unit::write(&self.db, async move |tx| {
            let (user_id, seen, correction) = &given;
            let user = tx.lock_user(user_id).await?.ok_or(NO_FACT)?;
            let found = tx.fact_with_provenance(user_id, &seen.id).await?;
            let old = unchanged(found.as_ref(), seen)?.clone();
            let scope = correction.scope.unwrap_or(old.scope);
            let name = correction.name.as_ref().or(old.name.as_ref()).cloned();
            let mut new = admitted(scope, name, correction.value.clone())?;
            let stays = scope == old.scope && same_name(&new, &old);
            if stays {
                // As it is spelled so far.
                new.key.clone_from(&old.name);
            }
            let slot = match old.name {
                Some(_) if stays && !multi_value::joins(&new) => old.slot.clone(),
                _ => merge::slot(&new),
            };
            let has_moved = scope != old.scope || slot != old.slot;
            if has_moved {
                tx.remove_fact(user_id, old.scope, &old.slot).await?;
                // What says the same; left there, it would keep its own position.
                for twin in merge::slots(&new) {
                    if is_said(tx, user_id, &new, &twin).await? {
                        tx.remove_fact(user_id, scope, &twin).await?;
                    }
                }
                if !stays {
                    has_place(tx, user_id, &new, list_cap).await?;
                }
            }
            let (old_scope, old_slot) = (old.scope, old.slot.clone());
            let fact = StoredFact {
                scope,
                slot,
                name: new.key,
                value: new.value,
                source_type: SourceType::Edited,
                first_stored_at: now,
                confirmed_at: now,
                origin: None,
                ..old
            };
            tx.put_fact(user_id, BY_HAND, &fact).await?;
            if has_moved {
                keep_out(tx, user_id, [(old_scope, &*old_slot)]).await?;
            }
            unblock(tx, user_id, &fact).await?;
            tx.replace_key(user_id).await?;
            tx.touch_user(user_id, now, user.next_position).await?;
            let scopes = ScopeSet::from(old_scope).with(scope);
            note_facts(tx, user_id, Action::CorrectFact, scopes, 1, now).await?;
            Ok::<_, Error>(tx.fact_id(user_id, scope, &fact.slot))
        })
        .await
    }

    /// Deletes what the user saw, all of it or nothing. With `keeps_out` agents don't save it again.
    /// Fails when a fact is gone or another value stands there.
    pub async fn delete_facts(
        &self,
        user_id: UserId,
        seen: Vec<FactVersion>,
        keeps_out: bool,
    ) -> Result<(), Error> {
        let now = self.clock.millis();
        unit::write(&self.db, async move |tx| {
            let (user_id, seen) = (&user_id, &seen);
            let user = tx.lock_user(user_id).await?.ok_or(NO_FACT)?;
            let facts = tx.facts_with_provenance(user_id).await?;
            let facts: HashMap<&FactId, &FactWithProvenance> =
                facts.iter().map(|kept| (&kept.id, kept)).collect();
            let mut gone: Vec<&StoredFact> = Vec::new();
            for seen in seen {
                gone.push(unchanged(facts.get(&seen.id).copied(), seen)?);
            }
            for fact in &gone {
                tx.remove_fact(user_id, fact.scope, &fact.slot).await?;
            }
            if keeps_out {
                let slots = gone.iter().map(|fact| (fact.scope, &*fact.slot));
                keep_out(tx, user_id, slots).await?;
            }
            tx.replace_key(user_id).await?;
            tx.touch_user(user_id, now, user.next_position).await?;
            let scopes = gone.iter().map(|fact| fact.scope).collect();
            note_facts(tx, user_id, Action::DeleteFact, scopes, gone.len(), now).await
        })
        .await
    }

    /// Deletes all facts of a scope. Where one is among them that the user did not see nothing is
    /// deleted.
    pub async fn delete_scope(
        &self,
        user_id: UserId,
        scope: Scope,
        seen: ScopeVersion,
    ) -> Result<(), Error> {
        let now = self.clock.millis();
        unit::write(&self.db, async move |tx| {
            let (user_id, seen) = (&user_id, &seen);
            let Some(user) = tx.lock_user(user_id).await? else {
                return Ok(());
            };
            let mut facts = tx.facts_with_provenance(user_id).await?;
            facts.retain(|kept| kept.fact.scope == scope);
            if !facts.iter().all(|kept| seen.holds(kept)) {
                return Err(CHANGED);
            }
            if facts.is_empty() {
                return Ok(());
            }
            tx.remove_scope(user_id, scope).await?;
            tx.replace_key(user_id).await?;
            tx.touch_user(user_id, now, user.next_position).await?;
            let (scopes, count) = (scope.into(), facts.len());
            note_facts(tx, user_id, Action::DeleteScope, scopes, count, now).await
        })
        .await
    }
}

fn admitted(scope: Scope, name: Option<String>, value: String) -> Result<Candidate, Error> {
    Ok(admit_by_hand(&Candidate {
        key: name,
        ..Candidate::item(scope, value)
    })?)
}

/// Whether a fact has no place of its own: its slot is taken, or it is stored already.
async fn is_taken(tx: &mut Tx, user_id: &UserId, fact: &Candidate) -> Result<bool, Error> {
    let own = merge::slot(fact);
    for slot in merge::slots(fact) {
        let taken = if slot == own {
            tx.fact(user_id, fact.scope, &slot).await?.is_some()
        } else {
            is_said(tx, user_id, fact, &slot).await?
        };
        if taken {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether what stands in a slot says the same.
async fn is_said(
    tx: &mut Tx,
    user_id: &UserId,
    fact: &Candidate,
    slot: &str,
) -> Result<bool, Error> {
    let stored = tx.fact(user_id, fact.scope, slot).await?;
    Ok(stored.is_some_and(|stored| wording::same(&stored.value, fact)))
}

fn same_name(new: &Candidate, old: &StoredFact) -> bool {
    match (&new.key, &old.name) {
        (None, _) => true,
        (Some(new), Some(old)) => new == old,
        (Some(_), None) => false,
    }
}

/// Refuses a fact for which there is no place: it is known already, or its scope is full.
pub(super) async fn has_place(
    tx: &mut Tx,
    user_id: &UserId,
    fact: &Candidate,
    list_cap: Option<NonZeroU32>,
) -> Result<(), Error> {
    if is_taken(tx, user_id, fact).await? {
        let is_named = fact.key.is_some() && !multi_value::joins(fact);
        let text = if is_named {
            "name: there is a fact of this name already; correct that one instead"
        } else {
            "value: this fact is saved already"
        };
        return Err(Error::BadRequest(text.to_owned()));
    }
    if let Some(cap) = merge::cap(fact.scope, list_cap)
        && tx.count_facts(user_id, fact.scope).await? >= cap
    {
        return Err(Error::BadRequest(format!(
            "scope: it is full, with {cap} facts; delete an outdated one, then add this one"
        )));
    }
    if multi_value::says_allergy(fact) {
        let mut stored = tx.facts(user_id, Scope::Preferences).await?;
        stored.retain(multi_value::is_allergy);
        if stored.len() >= multi_value::MAX_ALLERGIES {
            return Err(Error::BadRequest(format!(
                "name: there are {} allergies already, and no more are kept; delete an outdated \
                 one, then add this one",
                multi_value::MAX_ALLERGIES
            )));
        }
    }
    Ok(())
}

/// Agents don't save again what stood in these slots.
pub(super) async fn keep_out<'s>(
    tx: &mut Tx,
    user_id: &UserId,
    slots: impl IntoIterator<Item = (Scope, &'s str)>,
) -> Result<(), Error> {
    let mut blocked_facts = tx.blocked_facts(user_id).await?;
    for (scope, slot) in slots {
        blocked_facts.add(scope, slot);
    }
    tx.put_blocked_facts(user_id, &blocked_facts).await?;
    Ok(())
}

/// Stops suppressing what the user has now written by hand.
pub(super) async fn unblock(tx: &mut Tx, user_id: &UserId, fact: &StoredFact) -> Result<(), Error> {
    let mut blocked_facts = tx.blocked_facts(user_id).await?;
    if blocked_facts.contains(fact.scope, &fact.slot) {
        blocked_facts.remove(fact.scope, &fact.slot);
        tx.put_blocked_facts(user_id, &blocked_facts).await?;
    }
    Ok(())
}

/// The fact that the user saw, where it is what it was.
fn unchanged<'f>(
    found: Option<&'f FactWithProvenance>,
    seen: &FactVersion,
) -> Result<&'f StoredFact, Error> {
    let kept = found.ok_or(NO_FACT)?;
    if kept.version() == *seen {
        Ok(&kept.fact)
    } else {
        Err(CHANGED)
    }
}

/// Notes what the user did to so many facts in these scopes.
pub(super) async fn note_facts(
    tx: &mut Tx,
    user_id: &UserId,
    action: Action,
    scopes: ScopeSet,
    facts: usize,
    now: i64,
) -> Result<(), Error> {
    let event = AuditEvent::new(action, Actor::User, now)
        .scopes(scopes)
        .facts(facts);
    tx.audit(Some(user_id), &event).await?;
    Ok(())
}
