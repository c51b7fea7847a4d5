//! The merge of users' decisions from another database of the same deployment into a restored one: a backup brings data
//! back, but nothing that somebody had taken away.
//!
//! It only ever takes away. Of two states of a grant what both allow stays, a pause or a wish to be asked
//! holds where either database has it, and a fact is replaced by a newer value only. The audit logs of
//! the two tell which of them knows more: a database in whose log of a user nothing is new has nothing to
//! say about that user.

use std::collections::{HashMap, HashSet};

use super::{EventRecord, FactRecord, GrantRecord, UserRecord};
use crate::store::arg::args;
use crate::store::statement::statements;
use crate::store::{
    Action, Actor, AuditEvent, BlockedFacts, ByKey, GrantedBy, Hash, Outcome, Result, Tx,
};

/// How many entries of a user's log are read at once.
const EVENTS: u32 = 1_000;

/// What taking the decisions of a user did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakenDecisions {
    /// Whether the user was erased again.
    pub erased: bool,
    /// How many facts were removed again, or replaced by their corrections.
    pub facts: u64,
    /// How many grants were revoked, narrowed or shortened again.
    pub grants: u64,
    /// Why nothing was taken.
    pub left: Option<Older>,
}

/// Why a database has nothing to say about a user: it is older than this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// The user was erased here, and not there.
    ErasedSince,
    /// All that happened there is known here, and more.
    ChangedSince,
}

statements! {
    SET_DECISIONS changes Access:
        "UPDATE users SET epoch = $2, asks = $3, paused_at = $4, version = version + 1
         WHERE user_key = $1";
    NOTE_USER changes Access:
        "INSERT INTO users (user_key, epoch, next_position) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING";
    DROP_ALL_GRANTS changes Access: "DELETE FROM grants WHERE user_key = $1";
}

impl Tx {
    /// Takes from another database's record of a user, and the user's log there, what restricts:
    /// erasures, deleted and corrected facts, what is not to be saved again, grants that were revoked,
    /// narrowed or ended, the pause, the wish to be asked, after how long facts are deleted. Takes the log as well. Here time has left of the
    /// log what happened `since`.
    pub async fn take_decisions(
        &mut self,
        there: &UserRecord,
        log: &[EventRecord],
        since: Option<i64>,
        now: i64,
    ) -> Result<TakenDecisions> {
        let user_key = there.user_key.0;
        self.name_user(user_key);
        self.lock_user(ByKey(&user_key)).await?;
        let here = self.user_record_by_key(&user_key, true).await?;
        let known = Known::of(
            &self.log_of(&user_key).await?,
            log,
            since,
            there.last_updated,
        );
        if let Some(here) = &here
            && let Some(older) = known.older(here, there)
        {
            return Ok(TakenDecisions {
                left: Some(older),
                ..TakenDecisions::default()
            });
        }
        let here = if let Some(here) = here {
            here
        } else {
            self.run(NOTE_USER, args![&user_key]).await?;
            UserRecord::unknown(there.user_key)
        };
        let taken = self.merge_user(&here, there, &known, now).await?;
        self.take_log(log, since).await?;
        if taken != TakenDecisions::default() {
            let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            let event = AuditEvent::new(Action::Reapply, Actor::Operator, now)
                .facts(count(taken.facts))
                .grants(count(taken.grants));
            self.audit_by_key(&user_key, &event).await?;
        }
        Ok(taken)
    }

    async fn merge_user(
        &mut self,
        here: &UserRecord,
        there: &UserRecord,
        known: &Known,
        now: i64,
    ) -> Result<TakenDecisions> {
        let user_key = there.user_key.0;
        let user_id = here.user_id.as_ref().or(there.user_id.as_ref());
        let erases = there.epoch > here.epoch || known.erased_there;
        let grants = Grants {
            there_was_erased: erases,
            here_was_erased: here.epoch > there.epoch,
            here_asks: here.asks,
            now,
        };
        let (mut grants, restricted) = grants.merge(&here.grants, &there.grants);
        if user_id.is_none() {
            // Nobody could seal what agents would store.
            grants = grants.iter().map(|grant| grant.revoked(now)).collect();
        }
        let mut taken = TakenDecisions {
            grants: restricted,
            ..TakenDecisions::default()
        };
        if erases && here.user_id.is_some() {
            self.erase_user(ByKey(&user_key), now).await?;
            taken.erased = true;
        }
        self.run(DROP_ALL_GRANTS, args![&user_key]).await?;
        for grant in &grants {
            self.take_grant(&user_key, grant).await?;
        }
        let paused_at = match (here.paused_at, there.paused_at) {
            (Some(here), Some(there)) => Some(here.min(there)),
            (here, there) => here.or(there),
        };
        // One more than before, also where both were erased apart from each other.
        let epoch = there.epoch.max(here.epoch + i64::from(erases));
        let args = args![&user_key, epoch, here.asks || there.asks, paused_at];
        self.run_one(SET_DECISIONS, args, "users", &user_key)
            .await?;
        // What was chosen last holds: a choice that was taken back must not delete anything any more.
        let chosen = if erases || known.chose_auto_delete_there {
            &there.auto_delete
        } else {
            &here.auto_delete
        };
        self.set_auto_delete(ByKey(&user_key), chosen, 0).await?;
        let Some(user_id) = user_id else {
            return Ok(taken);
        };
        let needs_key =
            there.blocked_facts.is_some() || grants.iter().any(|grant| grant.revoked_at.is_none());
        let has_key = here.user_id.is_some() && !taken.erased;
        if needs_key && !has_key {
            // A user who has granted something needs a key: facts are sealed under it, and so is what is kept out.
            self.lock_or_add_user(user_id).await?;
        }
        if (has_key || needs_key) && here.epoch <= there.epoch {
            let blocked_facts = self.keep_out_as(&user_key, there).await?;
            if !taken.erased {
                taken.facts = self
                    .take_removals(&user_key, here, there, &blocked_facts, known)
                    .await?;
                if taken.facts > 0 {
                    self.replace_key(user_id).await?;
                }
            }
        }
        Ok(taken)
    }

    /// Keeps out what the other database keeps out as well.
    async fn keep_out_as(&mut self, user_key: &Hash, there: &UserRecord) -> Result<BlockedFacts> {
        let cipher = self.cipher_to_write(user_key).await?;
        let mut blocked_facts = self.blocked_facts_of(user_key, &cipher).await?;
        if let Some(there) = &there.blocked_facts
            && blocked_facts.add_all(&BlockedFacts::from_bytes(&there.0))
        {
            self.put_blocked_facts(ByKey(user_key), &blocked_facts)
                .await?;
        }
        Ok(blocked_facts)
    }

    /// Removes facts that are gone in the other database or kept out, and replaces those of which it
    /// has a newer value. What was stored here after the two parted stays.
    async fn take_removals(
        &mut self,
        user_key: &Hash,
        here: &UserRecord,
        there: &UserRecord,
        blocked_facts: &BlockedFacts,
        known: &Known,
    ) -> Result<u64> {
        let mut changed = 0;
        for fact in &here.facts {
            let same_place =
                |other: &&FactRecord| other.scope == fact.scope && other.slot == fact.slot;
            match there.facts.iter().find(same_place) {
                Some(other) if other.value == fact.value => continue,
                Some(other) if other.first_stored_at > fact.first_stored_at => {
                    let stored = other.to_stored();
                    self.put_fact(ByKey(user_key), &other.agent_id, &stored)
                        .await?;
                }
                None if (known.facts_gone_there && fact.first_stored_at <= known.until)
                    || blocked_facts.contains(fact.scope, &fact.slot) =>
                {
                    self.remove_fact(ByKey(user_key), fact.scope, &fact.slot)
                        .await?;
                }
                _ => continue,
            }
            changed += 1;
        }
        Ok(changed)
    }

    /// The whole log of a user; of nobody in particular where the key is empty.
    pub async fn log_of(&mut self, user_key: &[u8]) -> Result<Vec<EventRecord>> {
        let mut log: Vec<EventRecord> = Vec::new();
        loop {
            let last = log.last().map(|event| event.id.clone());
            let place = (user_key.to_vec(), last.unwrap_or_default());
            let more = self.event_records(&place, true, EVENTS).await?;
            if more.is_empty() {
                return Ok(log);
            }
            log.extend(more);
        }
    }
}

/// What the logs of two databases say of each other.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each may hold without the others"
)]
pub(super) struct Known {
    /// Whether something happened there that is not known here.
    more_there: bool,
    /// The same the other way round.
    more_here: bool,
    /// Whether both logs hold the same entry. Time takes the oldest entries first, so what was decided there
    /// after it is in the log there.
    has_common: bool,
    /// Whether the user was erased there at a time that is not known here.
    erased_there: bool,
    /// Whether the user chose there after how long facts are deleted, at a time that is not known here.
    chose_auto_delete_there: bool,
    /// Whether facts may have been taken away there at a time that is not known here. Otherwise those that are not
    /// there were never brought there: a database that an older backup was put in the place of knows the log of its
    /// predecessor, but not the facts.
    facts_gone_there: bool,
    /// Up to when everything that was stored here is known there.
    until: i64,
}

impl Known {
    fn of(
        here: &[EventRecord],
        there: &[EventRecord],
        since: Option<i64>,
        last_updated_there: Option<i64>,
    ) -> Self {
        let ids = |log: &[EventRecord]| -> HashSet<String> {
            log.iter().map(|event| event.id.clone()).collect()
        };
        let (known, reported) = (ids(here), ids(there));
        let unknown: Vec<&EventRecord> = there
            .iter()
            .filter(|event| !known.contains(&event.id))
            .collect();
        // One that time has taken here was before all that is stored here.
        let is_since = |event: &EventRecord| since.is_none_or(|since| event.at >= since);
        let in_both = there.iter().filter(|event| known.contains(&event.id));
        let until = in_both.map(|event| event.at).max();
        Self {
            more_there: !unknown.is_empty(),
            more_here: here.iter().any(|event| !reported.contains(&event.id)),
            has_common: until.is_some(),
            erased_there: unknown.iter().any(|event| {
                event.action == Action::Erase.as_str()
                    && event.outcome == Outcome::Done.as_str()
                    && is_since(event)
            }),
            chose_auto_delete_there: unknown
                .iter()
                .any(|event| event.action == Action::SetAutoDelete.as_str() && is_since(event)),
            facts_gone_there: until.is_none()
                || unknown
                    .iter()
                    .any(|event| is_since(event) && event.may_take_facts()),
            // Where logs have nothing in common, because time has cut them or nobody wrote any.
            until: until
                .or(there.iter().map(|event| event.at).max())
                .or(last_updated_there)
                .unwrap_or(i64::MAX),
        }
    }

    fn older(&self, here: &UserRecord, there: &UserRecord) -> Option<Older> {
        if self.more_there || !self.has_common {
            None
        } else if there.epoch < here.epoch {
            Some(Older::ErasedSince)
        } else if self.more_here {
            Some(Older::ChangedSince)
        } else {
            None
        }
    }
}

/// How the grants of a user in two databases become those that both allow.
struct Grants {
    /// Whether the user was erased there, which ended all grants of before.
    there_was_erased: bool,
    /// Whether the user was erased here, which would have ended those that began there before.
    here_was_erased: bool,
    /// Whether the user wants to be asked, here, before an agent gets access.
    here_asks: bool,
    now: i64,
}

impl Grants {
    /// The grants that are to be here, and how many agents may do less than before.
    fn merge(&self, here: &[GrantRecord], there: &[GrantRecord]) -> (Vec<GrantRecord>, u64) {
        let latest = |grants: &[GrantRecord]| -> HashMap<String, GrantRecord> {
            let latest = grants.iter().filter(|grant| grant.latest);
            latest
                .map(|grant| (grant.agent_id.clone(), grant.clone()))
                .collect()
        };
        let (before, mut other) = (latest(here), latest(there));
        let (mut merged, mut replaced) = (Vec::new(), Vec::new());
        let mut restricted = 0;
        for grant in here {
            if !grant.latest {
                replaced.push(grant.clone());
                continue;
            }
            let stays = match other.remove(&grant.agent_id) {
                Some(other) => both(grant, &other),
                None if self.there_was_erased => grant.revoked(self.now),
                None => grant.clone(),
            };
            restricted += u64::from(stays.allows_less_than(grant));
            if stays.id != grant.id {
                replaced.push(GrantRecord {
                    latest: false,
                    ..grant.revoked(stays.created_at)
                });
            }
            merged.push(stays);
        }
        let new = other
            .into_values()
            .filter(|grant| !before.contains_key(&grant.agent_id))
            // An agent without a grant asks here: one that allows something would be more.
            .filter(|grant| !self.here_asks || grant.revoked_at.is_some())
            .map(|grant| {
                if self.here_was_erased {
                    grant.revoked(self.now)
                } else {
                    grant
                }
            });
        merged.extend(new);
        // The one that was replaced here may be the latest there.
        let latest: HashSet<String> = merged.iter().map(|grant| grant.id.clone()).collect();
        replaced.retain(|grant| !latest.contains(&grant.id));
        merged.append(&mut replaced);
        (merged, restricted)
    }
}

/// What two states of an agent's grant both allow.
fn both(here: &GrantRecord, there: &GrantRecord) -> GrantRecord {
    let (newer, older) = if there.created_at > here.created_at {
        (there, here)
    } else {
        (here, there)
    };
    // One that was refused or revoked says so itself.
    let revoked = [newer, older]
        .into_iter()
        .find(|grant| grant.revoked_at.is_some());
    let mut merged = revoked.unwrap_or(newer).clone();
    if revoked.is_none() {
        merged.scopes = here.scopes.intersection(there.scopes);
        if let Some(end) = older.expires_at
            && merged.expires_at.is_none_or(|until| end < until)
        {
            merged.expires_at = Some(end);
            merged.expires_text.clone_from(&older.expires_text);
        }
        merged.expired_at = here.expired_at.or(there.expired_at);
    }
    let user = GrantedBy::User.as_str();
    if here.made_by == user || there.made_by == user {
        user.clone_into(&mut merged.made_by);
    }
    merged.last_used_at = here.last_used_at.max(there.last_used_at);
    merged
}

impl GrantRecord {
    /// The same, which nobody can use.
    fn revoked(&self, at: i64) -> Self {
        Self {
            revoked_at: self.revoked_at.or(Some(at)),
            ..self.clone()
        }
    }

    fn allows_less_than(&self, before: &Self) -> bool {
        let ended = |grant: &Self| grant.revoked_at.is_some() || grant.expired_at.is_some();
        !ended(before)
            && (ended(self) || self.scopes != before.scopes || self.expires_at != before.expires_at)
    }
}
