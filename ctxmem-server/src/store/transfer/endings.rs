//! The merge of what developers have ended, from another database of the same deployment into a restored one: keys,
//! agents, memberships, passwords, second factors. Like the merge of users' decisions it only ever takes away, and the
//! audit logs tell which database knows more.
//!
//! Time cuts the logs. An entry that only one of them has is news if the other is whole at its time;
//! otherwise it may be one that the other has forgotten. Where there are no news and the two differ anyway,
//! nobody knows which of the two came last, so neither holds: an operator has to decide.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::{DeveloperRecord, EventRecord, Record};
use crate::store::arg::args;
use crate::store::statement::statements;
use crate::store::{Action, Hash, MemberId, Result, Role, Tx};

statements! {
    SHORTEN_KEY:
        "UPDATE api_keys SET expires_at = $2
         WHERE id = $1 AND (expires_at IS NULL OR expires_at > $2)";
    END_AGENT: "UPDATE agents SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    REPLACE_PASSWORD: "UPDATE developers SET password_hash = $2 WHERE id = $1";
    REPLACE_ROLE: "UPDATE developers SET role = $2 WHERE id = $1 AND role <> 'gone'";
    SKIP_STEPS changes Nothing: "UPDATE second_factors SET last_step = $2 WHERE developer_id = $1 AND last_step < $2";
    END_ALL_SESSIONS changes Nothing: "DELETE FROM sessions";
    END_ALL_LINKS changes Nothing: "DELETE FROM sign_in_links";
    END_ALL_DEVELOPER_SESSIONS changes Nothing: "DELETE FROM developer_sessions";
    END_ALL_OIDC_SIGN_INS changes Nothing: "DELETE FROM oidc_sign_ins";
    END_ALL_OAUTH_CONNECTIONS changes Nothing: "DELETE FROM oauth_connections";
    END_ALL_INVITATIONS changes Nothing: "DELETE FROM team_invitations";
}

/// What a database's audit log says of nobody's data.
pub struct AccountLog {
    events: Vec<EventRecord>,
    /// From when on the log is whole; `None` for never: of a log without an entry nobody knows how far it
    /// went back.
    since: Option<i64>,
}

impl Tx {
    /// What the audit log says of nobody's data.
    pub async fn account_log(&mut self) -> Result<AccountLog> {
        Ok(AccountLog {
            events: self.log_of(&[]).await?,
            since: self.oldest_event().await?,
        })
    }

    /// Takes what has ended in another database of those who own agents: keys, agents, memberships,
    /// passwords, second factors. `log` is what its audit log says of nobody's data. Answers how many people can no
    /// longer sign in by a password because nobody knows which of two holds.
    pub async fn take_endings(&mut self, there: &[Record], log: &AccountLog) -> Result<u64> {
        let known = self.account_log().await?;
        let changes = Changes::of(&known, log);
        let here = self.account_records().await?;
        let (people, people_there) = (developers(&here), developers(there));
        for record in there {
            match record {
                Record::Key(key) => {
                    if let Some(at) = key.revoked_at {
                        self.revoke_key(&key.id, at).await?;
                    }
                    if let Some(at) = key.expires_at {
                        self.run(SHORTEN_KEY, args![&key.id, at]).await?;
                    }
                }
                Record::Agent(agent) => {
                    if let Some(at) = agent.deleted_at {
                        self.run(END_AGENT, args![&agent.id, at]).await?;
                    }
                }
                _ => {}
            }
        }
        self.take_owners(&people, &people_there, &changes).await?;
        let ids = people_there.iter().map(|there| (&*there.id, *there));
        let people_there: HashMap<&str, &DeveloperRecord> = ids.collect();
        let mut undecided = 0;
        for here in people {
            if let Some(there) = people_there.get(&*here.id) {
                undecided += u64::from(self.take_sign_in(here, there, &changes).await?);
            } else if here.team_id.is_some()
                && changes.newer(&[&here.id], Action::JoinTeam) != Some(Newer::Here)
            {
                // A person who is not in the other database has left there, or joined here since.
                self.leave(&here.id).await?;
            }
        }
        self.take_log(&log.events, known.since).await?;
        Ok(undecided)
    }

    /// A person who handed a team over no longer owns it, and the one to whom it was handed does.
    async fn take_owners(
        &mut self,
        here: &[&DeveloperRecord],
        there: &[&DeveloperRecord],
        changes: &Changes,
    ) -> Result<()> {
        let is_owner = |person: &&&DeveloperRecord| person.role == Role::Owner.as_str();
        let owners = there.iter().filter(is_owner);
        let owners: HashMap<&str, &str> = owners.map(|owner| (owner.team(), &*owner.id)).collect();
        for owner in here.iter().filter(is_owner) {
            let team = owner.team();
            let Some(other) = owners.get(team).filter(|other| **other != owner.id) else {
                continue;
            };
            // The entry is the former owner's, or the operator's.
            let people = here.iter().chain(there);
            let members = people.filter(|person| person.team() == team);
            let people: Vec<&str> = members
                .map(|person| &*person.id)
                .chain([OPERATOR])
                .collect();
            let newer = changes.newer(&people, Action::HandOver);
            if newer == Some(Newer::Here) {
                continue;
            }
            self.replace_role(&owner.id, Role::Member).await?;
            if newer == Some(Newer::There) {
                self.replace_role(other, Role::Owner).await?;
            }
        }
        Ok(())
    }

    async fn replace_role(&mut self, id: &str, role: Role) -> Result<()> {
        self.run(REPLACE_ROLE, args![id, role.as_str()]).await
    }

    /// Returns whether nobody knows by which of two a person signs in.
    async fn take_sign_in(
        &mut self,
        here: &DeveloperRecord,
        there: &DeveloperRecord,
        changes: &Changes,
    ) -> Result<bool> {
        if here.role == GONE {
            return Ok(false);
        }
        if there.role == GONE {
            self.leave(&here.id).await?;
            return Ok(false);
        }
        let mut hash = here.password_hash.as_deref();
        if here.password_hash != there.password_hash {
            hash = match changes.newer(&[&here.id], Action::ChangePassword) {
                Some(Newer::Here) => hash,
                Some(Newer::There) => there.password_hash.as_deref(),
                None => None,
            };
        }
        if !self.take_second_factor(here, there, changes).await? {
            hash = None;
        }
        if hash != here.password_hash.as_deref() {
            self.run(REPLACE_PASSWORD, args![&here.id, hash]).await?;
        }
        Ok(hash.is_none() && here.password_hash.is_some())
    }

    /// Returns false where nobody knows which second factor holds. Then there is none, and nobody may sign in
    /// by the password alone.
    async fn take_second_factor(
        &mut self,
        here: &DeveloperRecord,
        there: &DeveloperRecord,
        changes: &Changes,
    ) -> Result<bool> {
        let member = MemberId::new(&here.id);
        let (ours, theirs) = (here.confirmed_factor(), there.confirmed_factor());
        if ours == theirs {
            // A code works once, also a recovery code.
            if let Some(step) = there.second_factor_last_step {
                self.run(SKIP_STEPS, args![&here.id, step]).await?;
            }
            let left: HashSet<Hash> = there.recovery_hashes().collect();
            for code in here.recovery_hashes().filter(|code| !left.contains(code)) {
                self.use_recovery_code(&member, &code).await?;
            }
            return Ok(true);
        }
        let newer = changes.newer(&[&here.id], Action::ChangeSecondFactor);
        if newer == Some(Newer::Here) {
            return Ok(true);
        }
        let password = || changes.newer(&[&here.id], Action::ChangePassword);
        if newer.is_none() && ours.is_none() && password() == Some(Newer::Here) {
            // An operator has decided since this was found before.
            return Ok(true);
        }
        self.end_second_factor(&member).await?;
        if newer.is_none() {
            return Ok(false);
        }
        if theirs.is_some() {
            self.put_second_factor_of(there).await?;
        }
        Ok(true)
    }

    async fn leave(&mut self, id: &str) -> Result<()> {
        match self.developer_by_id(&MemberId::new(id)).await? {
            Some(member) => self.remove_member(&member).await,
            None => Ok(()),
        }
    }

    /// Signs everybody out, and ends every link by which somebody could sign in or join a team: whether it
    /// was used or ended since a backup was made, nobody knows.
    pub async fn sign_everybody_out(&mut self) -> Result<()> {
        for statement in [
            END_ALL_SESSIONS,
            END_ALL_LINKS,
            END_ALL_DEVELOPER_SESSIONS,
            END_ALL_OIDC_SIGN_INS,
            END_ALL_OAUTH_CONNECTIONS,
            END_ALL_INVITATIONS,
        ] {
            self.run(statement, &[]).await?;
        }
        Ok(())
    }
}

/// The role of a person who has left an account that others still have.
const GONE: &str = "gone";

/// The name in an entry about what the operator did: none.
const OPERATOR: &str = "";

fn developers(records: &[Record]) -> Vec<&DeveloperRecord> {
    let developers = records.iter().filter_map(|record| match record {
        Record::Developer(developer) => Some(developer),
        _ => None,
    });
    developers.collect()
}

/// Which of two databases knows of a later change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Newer {
    Here,
    There,
}

/// When each person last did something that only one of the two databases knows of.
struct Changes {
    here: HashMap<(String, String), i64>,
    there: HashMap<(String, String), i64>,
}

impl Changes {
    fn of(here: &AccountLog, there: &AccountLog) -> Self {
        Self {
            here: news(here, there),
            there: news(there, here),
        }
    }

    /// Where any of these people did this last; `None` where nothing tells.
    fn newer(&self, people: &[&str], action: Action) -> Option<Newer> {
        let latest = |changes: &HashMap<(String, String), i64>| {
            let keys = people
                .iter()
                .map(|id| ((*id).to_owned(), action.as_str().to_owned()));
            keys.filter_map(|key| changes.get(&key).copied()).max()
        };
        match latest(&self.here).cmp(&latest(&self.there)) {
            Ordering::Greater => Some(Newer::Here),
            Ordering::Less => Some(Newer::There),
            Ordering::Equal => None,
        }
    }
}

/// What a log has, and another log would have if it were known there.
fn news(log: &AccountLog, other: &AccountLog) -> HashMap<(String, String), i64> {
    let known: HashSet<&str> = other.events.iter().map(|event| event.id.as_str()).collect();
    let mut changes = HashMap::new();
    for event in &log.events {
        let is_whole = other.since.is_some_and(|since| event.at >= since);
        if is_whole && !known.contains(event.id.as_str()) {
            let person = event.developer_id.as_deref().unwrap_or(OPERATOR);
            let at: &mut i64 = changes
                .entry((person.to_owned(), event.action.clone()))
                .or_default();
            *at = event.at.max(*at);
        }
    }
    changes
}
