//! Validation of imported records: they pass the same gates as what people and agents say, whoever wrote the file. What
//! does not pass is left out, with the reason, and the rest of the user's data is taken. Pure, except for [`make_fit`],
//! which asks the database.

use std::collections::HashSet;
use std::num::NonZeroU32;

use ctxmem_types::Scope;

use crate::core::agent_profiles::{checked_line, checked_url};
use crate::core::developers::checked_email;
use crate::core::{merge, multi_value};
use crate::extract::{Candidate, admit_by_hand};
use crate::store::{FactRecord, Record, StoreError, StoredFact, Tx, UserRecord};

/// Why something is left out. It repeats nothing of the file.
pub(super) type Reason = String;

/// The end of the year 9999, in milliseconds since 1970. No later instant can be written as text.
const LAST_INSTANT: i64 = 253_402_300_799_999;
/// No count comes near to it, and whatever is added to it still is a number.
const HIGHEST_COUNT: i64 = 1 << 40;
/// The longest id, name or kind, in bytes.
const MAX_TEXT: usize = 300;

const INSTANT: &str = "expected instants between 1970 and the year 9999";
const COUNT: &str = "expected counts and positions from 0 to 2^40";
const EMAIL: &str = "email: expected an address such as dev@example.com, in small letters";
const TEXT: &str = "expected ids and names of at most 300 bytes in one line";

/// A record as it may be stored, and what of it may not. An error says why nothing of it may be
/// stored.
pub(super) fn admitted(mut record: Record) -> Result<(Record, Vec<Reason>), Reason> {
    let mut left_out = Vec::new();
    match &mut record {
        Record::User(user) => left_out = admitted_user(user)?,
        Record::Developer(developer) => {
            instants([
                Some(developer.created_at),
                developer.first_fact_at,
                developer.second_factor_confirmed_at,
            ])?;
            counts(developer.second_factor_last_step)?;
            texts([&*developer.id, &*developer.role])?;
            texts([
                developer.team_id.as_deref(),
                developer.name.as_deref(),
                developer.contact.as_deref(),
            ])?;
            if !checked_email(&developer.email).is_ok_and(|email| email == developer.email) {
                return Err(EMAIL.to_owned());
            }
        }
        Record::Agent(agent) => {
            instants([Some(agent.created_at), agent.deleted_at])?;
            texts([&*agent.id, &*agent.developer_id, &*agent.name])?;
            // Users open these addresses.
            let purpose = agent.purpose.as_deref().unwrap_or_default();
            checked_line("purpose", purpose, MAX_TEXT).map_err(|error| error.to_string())?;
            for (field, url) in [("url", &agent.url), ("privacy_url", &agent.privacy_url)] {
                let url = url.as_deref().unwrap_or_default();
                checked_url(field, url).map_err(|error| error.to_string())?;
            }
        }
        Record::Key(key) => {
            let created_at = Some(key.created_at);
            instants([created_at, key.last_used_at, key.revoked_at, key.expires_at])?;
            texts([&*key.id, &*key.agent_id, &*key.prefix])?;
            texts([key.name.as_deref(), key.replaced_by.as_deref()])?;
        }
        Record::Quota(quota) => {
            counts([quota.used])?;
            texts([&*quota.agent_id, &*quota.month])?;
        }
        Record::Usage(record) => {
            let usage = &record.usage;
            counts([
                usage.injects,
                usage.updates,
                usage.filtered,
                usage.denied,
                usage.errors,
            ])?;
            texts([&*record.agent_id, &*record.day])?;
        }
        Record::Event(event) => {
            instants([event.at])?;
            counts([event.facts, event.grants, event.times])?;
            texts([&*event.id])?;
            texts([event.agent_id.as_deref(), event.developer_id.as_deref()])?;
        }
    }
    Ok((record, left_out))
}

/// Leaves of a user's record what may be stored, and answers why the rest may not.
fn admitted_user(user: &mut UserRecord) -> Result<Vec<Reason>, Reason> {
    if !(0..=HIGHEST_COUNT).contains(&user.epoch) {
        return Err("epoch: expected how often everything was erased, from 0 to 2^40".to_owned());
    }
    counts([user.next_position])?;
    instants([user.last_updated, user.paused_at, user.access_seen_at])?;
    let mut left_out = Vec::new();
    let facts = std::mem::take(&mut user.facts);
    let mut slots: HashSet<(Scope, String)> = HashSet::new();
    for fact in facts {
        let scope = fact.scope;
        match admitted_fact(fact) {
            Ok(fact) if slots.insert((scope, fact.slot.clone())) => user.facts.push(fact),
            Ok(_) => left_out.push(of_fact(scope, "the file has another one in its place")),
            Err(reason) => left_out.push(of_fact(scope, &reason)),
        }
    }
    left_out.extend(leave_out(&mut user.grants, "a grant", |grant| {
        let (created_at, expires_at) = (Some(grant.created_at), grant.expires_at);
        instants([created_at, expires_at, grant.expired_at])?;
        instants([grant.revoked_at, grant.last_used_at])?;
        texts([&*grant.id, &*grant.agent_id, &*grant.made_by])?;
        texts([grant.expires_text.as_deref()])
    }));
    left_out.extend(leave_out(
        &mut user.requests,
        "a request for access",
        |request| {
            instants([request.first_at, request.last_at])?;
            counts([request.times])?;
            texts([&*request.agent_id])
        },
    ));
    Ok(left_out)
}

/// Leaves out what does not pass, and answers why.
fn leave_out<T>(
    records: &mut Vec<T>,
    what: &str,
    check: impl Fn(&T) -> Result<(), &'static str>,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    records.retain(|record| {
        let checked = check(record);
        if let Err(reason) = &checked {
            reasons.push(format!("{what}: {reason}"));
        }
        checked.is_ok()
    });
    reasons
}

fn of_fact(scope: Scope, reason: &str) -> Reason {
    format!("a fact in {}: {reason}", scope.name())
}

/// The fact as the gate cleans it. Its slot follows from it: one of the file's own would let a second
/// value stand beside the first.
fn admitted_fact(fact: FactRecord) -> Result<FactRecord, Reason> {
    instants([fact.first_stored_at, fact.confirmed_at])?;
    instants(fact.origin.iter().map(|origin| origin.at))?;
    counts([fact.position])?;
    texts([&*fact.source_type, &*fact.agent_id])?;
    texts(fact.origin.iter().map(|origin| &*origin.request))?;
    let candidate = Candidate {
        key: fact.name,
        requested: fact.requested,
        ..Candidate::item(fact.scope, fact.value)
    };
    let admitted = admit_by_hand(&candidate).map_err(|refusal| refusal.to_string())?;
    let slot = merge::slots(&admitted)
        .find(|slot| *slot == fact.slot)
        .unwrap_or_else(|| merge::slot(&admitted));
    Ok(FactRecord {
        slot,
        name: admitted.key,
        value: admitted.value,
        ..fact
    })
}

fn instants(found: impl IntoIterator<Item = impl Into<Option<i64>>>) -> Result<(), &'static str> {
    let mut found = found.into_iter().filter_map(Into::into);
    let all = found.all(|at| (0..=LAST_INSTANT).contains(&at));
    if all { Ok(()) } else { Err(INSTANT) }
}

fn counts(found: impl IntoIterator<Item = i64>) -> Result<(), &'static str> {
    let mut found = found.into_iter();
    let all = found.all(|count| (0..=HIGHEST_COUNT).contains(&count));
    if all { Ok(()) } else { Err(COUNT) }
}

fn texts<'t>(
    found: impl IntoIterator<Item = impl Into<Option<&'t str>>>,
) -> Result<(), &'static str> {
    let mut found = found.into_iter().filter_map(Into::into);
    let all = found.all(|text: &str| text.len() <= MAX_TEXT && !text.contains(char::is_control));
    if all { Ok(()) } else { Err(TEXT) }
}

/// Leaves out of a user's record what the database has no place for: what names an agent that neither
/// it nor the file has, and facts beyond what a scope holds. What was confirmed last stays.
pub(super) async fn make_fit(
    tx: &mut Tx,
    user: &mut UserRecord,
    agents_of_file: &HashSet<String>,
    list_cap: Option<NonZeroU32>,
) -> Result<Vec<Reason>, StoreError> {
    let mut left_out = without_unknown_agents(tx, user, agents_of_file).await?;
    let Some(user_id) = user.user_id.clone() else {
        return Ok(left_out);
    };
    let is_there = tx.lock_user(&user_id).await?.is_some();
    for scope in Scope::ALL {
        let Some(cap) = merge::cap(scope, list_cap) else {
            continue;
        };
        if !user.facts.iter().any(|fact| fact.scope == scope) {
            continue;
        }
        let stored = if is_there {
            tx.facts(&user_id, scope).await?
        } else {
            Vec::new()
        };
        let room = usize::try_from(cap).unwrap_or(usize::MAX);
        for slot in without_room(&stored, &user.facts, scope, room) {
            user.facts
                .retain(|fact| fact.scope != scope || fact.slot != slot);
            left_out.push(of_fact(
                scope,
                &format!("its scope is full, at {cap} facts (see --facts-per-list)"),
            ));
        }
    }
    Ok(left_out)
}

/// The slots of those facts of a file for which a scope has no room.
fn without_room(
    stored: &[StoredFact],
    facts: &[FactRecord],
    scope: Scope,
    room: usize,
) -> Vec<String> {
    let taken: HashSet<&str> = stored.iter().map(|fact| &*fact.slot).collect();
    let mut new: Vec<&FactRecord> = facts
        .iter()
        .filter(|fact| fact.scope == scope && !taken.contains(&*fact.slot))
        .collect();
    let spared = multi_value::spared(scope);
    let is_spared = |name: Option<&str>| spared.is_some() && name == spared;
    new.sort_by_key(|fact| {
        (
            !is_spared(fact.name.as_deref()),
            -fact.confirmed_at,
            -fact.position,
        )
    });
    let mut room = room.saturating_sub(stored.len());
    let stored = stored.iter().filter(|fact| is_spared(fact.name.as_deref()));
    let mut room_for_spared = multi_value::MAX_ALLERGIES.saturating_sub(stored.count());
    let mut without = Vec::new();
    for fact in new {
        let spared = is_spared(fact.name.as_deref());
        if room == 0 || (spared && room_for_spared == 0) {
            without.push(fact.slot.clone());
            continue;
        }
        room -= 1;
        room_for_spared -= usize::from(spared);
    }
    without
}

async fn without_unknown_agents(
    tx: &mut Tx,
    user: &mut UserRecord,
    agents_of_file: &HashSet<String>,
) -> Result<Vec<Reason>, StoreError> {
    let facts = user.facts.iter().map(|fact| &fact.agent_id);
    // What the user wrote has no agent.
    let facts = facts.filter(|agent_id| !agent_id.is_empty());
    let grants = user.grants.iter().map(|grant| &grant.agent_id);
    let requests = user.requests.iter().map(|request| &request.agent_id);
    let named: HashSet<&String> = facts.chain(grants).chain(requests).collect();
    let mut unknown: HashSet<String> = HashSet::new();
    for agent_id in named {
        if !agents_of_file.contains(agent_id) && !tx.has_agent(agent_id).await? {
            unknown.insert(agent_id.clone());
        }
    }
    let mut left_out = Vec::new();
    if unknown.is_empty() {
        return Ok(left_out);
    }
    let mut is_known = |agent_id: &str, what: &str| {
        let is_known = !unknown.contains(agent_id);
        if !is_known {
            left_out.push(format!(
                "{what}: there is no such agent, here or in the file"
            ));
        }
        is_known
    };
    user.facts.retain(|fact| is_known(&fact.agent_id, "a fact"));
    user.grants
        .retain(|grant| is_known(&grant.agent_id, "a grant"));
    user.requests
        .retain(|request| is_known(&request.agent_id, "a request for access"));
    Ok(left_out)
}
