//! What an agent would be told of a user, for that user to see. It is made by what answers an
//! inject.

use ctxmem_types::{ScopeSet, UserId};

use super::inject::{Told, told};
use super::{Core, Error, State};
use crate::store::Access;

/// What an agent would be told now.
pub struct Preview {
    /// The agent and its grant.
    pub access: Access,
    /// The state of the grant.
    pub state: State,
    /// By the scopes that its keys let it reach, each set once. Empty where it has no key.
    pub tellings: Vec<Telling>,
}

/// What it would be told by some of its keys.
pub struct Telling {
    /// The scopes that are both granted and allowed to these keys.
    pub scopes: ScopeSet,
    /// What it would be told.
    pub told: Told,
}

impl Core {
    /// What this agent would be told of the user, who must have granted it something once.
    pub async fn preview(&self, user_id: &UserId, agent_id: &str) -> Result<Preview, Error> {
        const NO_AGENT: Error =
            Error::NotFound("There is no such agent among those that ever had access.");
        let now = self.now();
        let budget = self.settings.token_budget;
        let (user_id, agent_id) = (user_id.clone(), agent_id.to_owned());
        self.db
            .read(|tx| {
                Box::pin(async move {
                    let access = tx.grants(&user_id).await?;
                    let access = access
                        .into_iter()
                        .find(|access| access.grant.agent_id == agent_id)
                        .ok_or(NO_AGENT)?;
                    let mut tellings: Vec<Telling> = Vec::new();
                    // An agent that was deleted has no working key.
                    if let Some(capsule) = tx.capsule(&agent_id, &user_id).await? {
                        for key_scopes in tx.live_scopes(&agent_id).await? {
                            let scopes = access.grant.scopes.intersection(key_scopes);
                            if tellings.iter().all(|known| known.scopes != scopes) {
                                let effective = access.grant.effective(key_scopes, now);
                                tellings.push(Telling {
                                    scopes,
                                    told: told(
                                        &capsule.facts,
                                        capsule.developer_stored,
                                        effective,
                                        budget,
                                    ),
                                });
                            }
                        }
                    }
                    Ok(Preview {
                        state: access.grant.state(now),
                        access,
                        tellings,
                    })
                })
            })
            .await
    }
}
