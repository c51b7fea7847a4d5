//! What users do with single facts: add, correct, delete. What they write passes the same gate
//! as what is extracted.

use ctxmem_types::{Scope, SourceType, UserId};

use super::{Core, Error, merge, multi_value, wording};
use crate::extract::{Candidate, Op, admit_by_hand};
use crate::store::{Action, Actor, AuditEvent, FactWithProvenance, StoredFact, Tx};

/// Stands where an agent's id would, on what the user wrote.
const BY_HAND: &str = "";

const NO_FACT: Error = Error::NotFound("There is no such fact (any more).");
const CHANGED: Error = Error::Conflict("Another value stands there by now.");

/// A fact as the user looked at it.
#[derive(Clone)]
pub struct FactVersion {
    /// The scope that it belongs to.
    pub scope: Scope,
    /// Its slot.
    pub slot: String,
    /// When that value was first stored, in milliseconds since 1970.
    pub first_stored_at: i64,
}

impl Core {
    /// Everything that is remembered of the user, in prompt order.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn facts_with_provenance(
        &self,
        user_id: &UserId,
    ) -> Result<Vec<FactWithProvenance>, Error> {
        let user_id = user_id.clone();
        let facts = self
            .db
            .read(|tx| Box::pin(async move { tx.facts_with_provenance(&user_id).await }))
            .await?;
        Ok(facts)
    }

    /// What is remembered in a slot.
    ///
    /// # Errors
    ///
    /// Fails when there is no such fact, and when the database fails.
    pub async fn fact_with_provenance(
        &self,
        user_id: &UserId,
        scope: Scope,
        slot: &str,
    ) -> Result<FactWithProvenance, Error> {
        let (user_id, slot) = (user_id.clone(), slot.to_owned());
        let fact = self
            .db
            .read(|tx| {
                Box::pin(async move { tx.fact_with_provenance(&user_id, scope, &slot).await })
            })
            .await?;
        fact.ok_or(NO_FACT)
    }

    /// Adds a fact that the user wrote; a name is needed in the scopes that are maps. Under a
    /// name that holds several values it joins them. A scope that is full takes none: the user
    /// should say which one goes.
    ///
    /// # Errors
    ///
    /// Fails when the fact is not admitted, is known already or finds no room, and when the database fails.
    pub async fn add_fact(
        &self,
        user_id: UserId,
        scope: Scope,
        name: Option<String>,
        value: String,
    ) -> Result<(), Error> {
        let fact = admitted(scope, name, value)?;
        let slot = merge::slot(&fact);
        let cap = merge::cap(scope, self.settings.list_cap);
        let now = self.now();
        self.db
            .write(move |tx| {
                let (user_id, slot, fact) = (user_id.clone(), slot.clone(), fact.clone());
                Box::pin(async move {
                    let user = tx.lock_or_add_user(&user_id).await?;
                    if is_taken(tx, &user_id, &fact).await? {
                        let is_named = fact.key.is_some() && !multi_value::joins(&fact);
                        return Err(known_already(is_named));
                    }
                    if let Some(cap) = cap
                        && tx.count_facts(&user_id, scope).await? >= cap
                    {
                        return Err(full(cap));
                    }
                    if multi_value::says_allergy(&fact) && !has_room(tx, &user_id).await? {
                        return Err(too_many_allergies());
                    }
                    let fact = StoredFact {
                        scope,
                        slot,
                        name: fact.key,
                        value: fact.value,
                        source_type: SourceType::Edited,
                        requested: false,
                        position: user.next_position,
                        first_stored_at: now,
                        confirmed_at: now,
                    };
                    tx.put_fact(&user_id, BY_HAND, &fact).await?;
                    tx.touch_user(&user_id, now, user.next_position + 1).await?;
                    note(tx, &user_id, Action::AddFact, scope, 1, now).await
                })
            })
            .await
    }

    /// Puts the user's words in the place of what they saw. Where another fact says the same
    /// already, the two become one.
    ///
    /// # Errors
    ///
    /// Fails when the fact is gone or another value stands there, when the new value is not admitted, and
    /// when the database fails.
    pub async fn correct_fact(
        &self,
        user_id: UserId,
        seen: FactVersion,
        value: String,
    ) -> Result<(), Error> {
        let now = self.now();
        self.db
            .write(move |tx| {
                let (user_id, seen, value) = (user_id.clone(), seen.clone(), value.clone());
                Box::pin(async move {
                    let user = tx.lock_user(&user_id).await?.ok_or(NO_FACT)?;
                    let old = still(tx, &user_id, &seen).await?;
                    let new = Candidate {
                        key: old.name.clone(),
                        ..admitted(old.scope, old.name.clone(), value)?
                    };
                    let slot = match old.name {
                        Some(_) if !multi_value::joins(&new) => old.slot.clone(),
                        _ => merge::slot(&new),
                    };
                    if slot != old.slot {
                        tx.remove_fact(&user_id, old.scope, &old.slot).await?;
                        // What says the same; left there, it would keep its own position.
                        for twin in merge::slots(&new) {
                            if is_said(tx, &user_id, &new, &twin).await? {
                                tx.remove_fact(&user_id, old.scope, &twin).await?;
                            }
                        }
                    }
                    let fact = StoredFact {
                        slot,
                        value: new.value,
                        source_type: SourceType::Edited,
                        first_stored_at: now,
                        confirmed_at: now,
                        ..old
                    };
                    tx.put_fact(&user_id, BY_HAND, &fact).await?;
                    tx.replace_key(&user_id).await?;
                    tx.touch_user(&user_id, now, user.next_position).await?;
                    note(tx, &user_id, Action::CorrectFact, fact.scope, 1, now).await
                })
            })
            .await
    }

    /// Deletes what the user saw.
    ///
    /// # Errors
    ///
    /// Fails when the fact is gone or another value stands there, and when the database fails.
    pub async fn delete_fact(&self, user_id: UserId, seen: FactVersion) -> Result<(), Error> {
        let now = self.now();
        self.db
            .write(move |tx| {
                let (user_id, seen) = (user_id.clone(), seen.clone());
                Box::pin(async move {
                    let user = tx.lock_user(&user_id).await?.ok_or(NO_FACT)?;
                    let old = still(tx, &user_id, &seen).await?;
                    tx.remove_fact(&user_id, old.scope, &old.slot).await?;
                    tx.replace_key(&user_id).await?;
                    tx.touch_user(&user_id, now, user.next_position).await?;
                    note(tx, &user_id, Action::DeleteFact, old.scope, 1, now).await
                })
            })
            .await
    }

    /// Deletes all facts of a scope, of which the user saw those that were first stored until
    /// `seen` (milliseconds since 1970). Where a later one is among them nothing is deleted.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn delete_scope(
        &self,
        user_id: UserId,
        scope: Scope,
        seen: i64,
    ) -> Result<(), Error> {
        let now = self.now();
        self.db
            .write(move |tx| {
                let user_id = user_id.clone();
                Box::pin(async move {
                    let Some(user) = tx.lock_user(&user_id).await? else {
                        return Ok(());
                    };
                    let mut facts = tx.facts_with_provenance(&user_id).await?;
                    facts.retain(|kept| kept.fact.scope == scope);
                    if facts.iter().any(|kept| kept.fact.first_stored_at > seen) {
                        return Err(CHANGED);
                    }
                    if facts.is_empty() {
                        return Ok(());
                    }
                    tx.remove_scope(&user_id, scope).await?;
                    tx.replace_key(&user_id).await?;
                    tx.touch_user(&user_id, now, user.next_position).await?;
                    note(tx, &user_id, Action::DeleteScope, scope, facts.len(), now).await
                })
            })
            .await
    }
}

fn admitted(scope: Scope, name: Option<String>, value: String) -> Result<Candidate, Error> {
    Ok(admit_by_hand(&Candidate {
        scope,
        key: name,
        value,
        op: Op::Set,
        known: None,
        requested: false,
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

/// Whether one more allergy may be kept.
async fn has_room(tx: &mut Tx, user_id: &UserId) -> Result<bool, Error> {
    let preferences = tx.facts(user_id, Scope::Preferences).await?;
    let allergies = preferences
        .iter()
        .filter(|fact| multi_value::is_allergy(fact));
    Ok(allergies.count() < multi_value::MAX_ALLERGIES)
}

/// The fact that the user saw, where it is what it was.
async fn still(tx: &mut Tx, user_id: &UserId, seen: &FactVersion) -> Result<StoredFact, Error> {
    let now = tx
        .fact_with_provenance(user_id, seen.scope, &seen.slot)
        .await?
        .ok_or(NO_FACT)?;
    if now.fact.first_stored_at == seen.first_stored_at {
        Ok(now.fact)
    } else {
        Err(CHANGED)
    }
}

async fn note(
    tx: &mut Tx,
    user_id: &UserId,
    action: Action,
    scope: Scope,
    facts: usize,
    now: i64,
) -> Result<(), Error> {
    let event = AuditEvent::new(action, Actor::User, now)
        .scopes(scope.into())
        .facts(facts);
    tx.audit(Some(user_id), &event).await?;
    Ok(())
}

fn known_already(has_name: bool) -> Error {
    Error::BadRequest(
        if has_name {
            "name: there is a fact of this name already; correct that one instead"
        } else {
            "value: this is remembered already"
        }
        .to_owned(),
    )
}

fn full(cap: i64) -> Error {
    Error::BadRequest(format!(
        "scope: it is full, with {cap} facts; delete one that is over, then add this one"
    ))
}

fn too_many_allergies() -> Error {
    Error::BadRequest(format!(
        "name: there are {} allergies already, and no more are kept; delete one that is over, then \
         add this one",
        multi_value::MAX_ALLERGIES
    ))
}
