//! What developers have ended, taken from another database of the same deployment into a restored one: keys,
//! agents, memberships, passwords, second factors. Like users' decisions it only ever takes away, and the
//! audit logs tell which database knows more.

use std::collections::{HashMap, HashSet};

use super::{DeveloperRecord, EventRecord, Record};
use crate::store::arg::Arg;
use crate::store::statement::statements;
use crate::store::{Action, MemberId, StoreError, Tx};

statements! {
    END_KEY: "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    SHORTEN_KEY:
        "UPDATE api_keys SET expires_at = $2
         WHERE id = $1 AND (expires_at IS NULL OR expires_at > $2)";
    END_AGENT: "UPDATE agents SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";
    REPLACE_PASSWORD: "UPDATE developers SET password_hash = $2 WHERE id = $1";
    REPLACE_ROLE: "UPDATE developers SET role = $2 WHERE id = $1 AND role <> 'gone'";
    PUT_SECOND_FACTOR changes Nothing:
        "INSERT INTO second_factors (developer_id, sealed, confirmed_at, last_step)
         VALUES ($1, $2, $3, $4)";
    SKIP_STEPS changes Nothing: "UPDATE second_factors SET last_step = $2 WHERE developer_id = $1 AND last_step < $2";
    END_ALL_SESSIONS changes Nothing: "DELETE FROM sessions";
    END_ALL_LINKS changes Nothing: "DELETE FROM sign_in_links";
    END_ALL_DEVELOPER_SESSIONS changes Nothing: "DELETE FROM developer_sessions";
    END_ALL_OIDC_SIGN_INS changes Nothing: "DELETE FROM oidc_sign_ins";
    END_ALL_INVITATIONS changes Nothing: "DELETE FROM team_invitations";
}

impl Tx {
    /// Takes what has ended in another database of those who own agents: keys, agents, memberships,
    /// passwords, second factors. `log` is what its audit log says of nobody's data.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn take_endings(
        &mut self,
        there: &[Record],
        log: &[EventRecord],
    ) -> Result<(), StoreError> {
        let changes = Changes::of(&self.log_of(&[]).await?, log);
        let here = self.account_records().await?;
        let mut developers: HashMap<&str, &DeveloperRecord> = here
            .iter()
            .filter_map(|record| match record {
                Record::Developer(developer) => Some((developer.id.as_str(), developer)),
                _ => None,
            })
            .collect();
        for record in there {
            match record {
                Record::Key(key) => {
                    if let Some(at) = key.revoked_at {
                        self.run(END_KEY, &[(&key.id).into(), at.into()]).await?;
                    }
                    if let Some(at) = key.expires_at {
                        self.run(SHORTEN_KEY, &[(&key.id).into(), at.into()])
                            .await?;
                    }
                }
                Record::Agent(agent) => {
                    if let Some(at) = agent.deleted_at {
                        self.run(END_AGENT, &[(&agent.id).into(), at.into()])
                            .await?;
                    }
                }
                Record::Developer(there) => {
                    if let Some(here) = developers.remove(there.id.as_str()) {
                        self.take_sign_in(here, there, &changes).await?;
                    }
                }
                _ => {}
            }
        }
        for (id, here) in developers {
            // Who is not in the other database has left there, or joined here since.
            if here.team_id.is_some() && !changes.is_newer_here(id, &[Action::JoinTeam]) {
                self.leave(id).await?;
            }
        }
        for event in log {
            self.take_event(event).await?;
        }
        Ok(())
    }

    async fn take_sign_in(
        &mut self,
        here: &DeveloperRecord,
        there: &DeveloperRecord,
        changes: &Changes,
    ) -> Result<(), StoreError> {
        let id = here.id.as_str();
        if there.role == "gone" && here.role != "gone" {
            return self.leave(id).await;
        }
        if here.role != there.role && changes.is_newer_there(id, &[Action::HandOver]) {
            self.run(REPLACE_ROLE, &[id.into(), (&there.role).into()])
                .await?;
        }
        if here.password_hash != there.password_hash
            && !changes.is_newer_here(id, &[Action::ChangePassword])
        {
            // Where nobody knows which is the former one, neither is accepted.
            let is_newer = changes.is_newer_there(id, &[Action::ChangePassword]);
            let hash = there.password_hash.as_deref().filter(|_| is_newer);
            self.run(REPLACE_PASSWORD, &[id.into(), hash.into()])
                .await?;
        }
        self.take_second_factor(here, there, changes).await
    }

    async fn take_second_factor(
        &mut self,
        here: &DeveloperRecord,
        there: &DeveloperRecord,
        changes: &Changes,
    ) -> Result<(), StoreError> {
        let id = here.id.as_str();
        let is_same = here.second_factor == there.second_factor
            && here.second_factor_confirmed_at == there.second_factor_confirmed_at;
        if is_same {
            if let Some(step) = there.second_factor_last_step {
                self.run(SKIP_STEPS, &[id.into(), step.into()]).await?;
            }
            // A recovery code works once.
            for code in &here.recovery_codes {
                if !there.recovery_codes.contains(code)
                    && let Ok(code) = hex::decode(code)
                    && let Ok(code) = code.try_into()
                {
                    self.use_recovery_code(&MemberId::new(id), &code).await?;
                }
            }
            return Ok(());
        }
        if !changes.is_newer_there(id, &[Action::ChangeSecondFactor]) {
            return Ok(());
        }
        self.end_second_factor(&MemberId::new(id)).await?;
        let Some(sealed) = &there.second_factor else {
            return Ok(());
        };
        let args = [
            id.into(),
            Arg::Bytes(Some(&sealed.0)),
            there.second_factor_confirmed_at.into(),
            there.second_factor_last_step.unwrap_or(0).into(),
        ];
        self.run(PUT_SECOND_FACTOR, &args).await?;
        for code in &there.recovery_codes {
            if let Ok(code) = hex::decode(code)
                && let Ok(code) = code.try_into()
            {
                self.insert_recovery_code(&MemberId::new(id), &code).await?;
            }
        }
        Ok(())
    }

    async fn leave(&mut self, id: &str) -> Result<(), StoreError> {
        match self.developer_by_id(&MemberId::new(id)).await? {
            Some(member) => self.remove_member(&member).await,
            None => Ok(()),
        }
    }

    /// Signs everybody out, and ends every link by which somebody could sign in or join a team: whether it
    /// was used or ended since a backup was made, nobody knows.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn sign_everybody_out(&mut self) -> Result<(), StoreError> {
        for statement in [
            END_ALL_SESSIONS,
            END_ALL_LINKS,
            END_ALL_DEVELOPER_SESSIONS,
            END_ALL_OIDC_SIGN_INS,
            END_ALL_INVITATIONS,
        ] {
            self.run(statement, &[]).await?;
        }
        Ok(())
    }
}

/// When each developer last did something that only one of the two databases knows of.
struct Changes {
    here: HashMap<(String, String), i64>,
    there: HashMap<(String, String), i64>,
}

impl Changes {
    fn of(here: &[EventRecord], there: &[EventRecord]) -> Self {
        Self {
            here: only_in(here, there),
            there: only_in(there, here),
        }
    }

    fn is_newer_here(&self, developer: &str, actions: &[Action]) -> bool {
        latest(&self.here, developer, actions) > latest(&self.there, developer, actions)
    }

    fn is_newer_there(&self, developer: &str, actions: &[Action]) -> bool {
        latest(&self.there, developer, actions) > latest(&self.here, developer, actions)
    }
}

fn latest(
    changes: &HashMap<(String, String), i64>,
    developer: &str,
    actions: &[Action],
) -> Option<i64> {
    let times = actions
        .iter()
        .map(|action| (developer.to_owned(), action.as_str().to_owned()))
        .filter_map(|key| changes.get(&key));
    times.max().copied()
}

fn only_in(log: &[EventRecord], other: &[EventRecord]) -> HashMap<(String, String), i64> {
    let known: HashSet<&str> = other.iter().map(|event| event.id.as_str()).collect();
    let mut changes = HashMap::new();
    for event in log {
        if let Some(developer) = &event.developer_id
            && !known.contains(event.id.as_str())
        {
            let at: &mut i64 = changes
                .entry((developer.clone(), event.action.clone()))
                .or_default();
            *at = event.at.max(*at);
        }
    }
    changes
}
