//! Creates, renames and deletes agents.

use ctxmem_types::ScopeSet;
use uuid::Uuid;

use super::developers::{self, checked_email};
use super::keys::{self, KeyTerms, MintedKey};
use super::manager::{Manager, NO_AGENT};
use super::{Console, Error, unit};
use crate::store::{Action, Agent, Developer, DeveloperId, Tx};

/// The name of the agent that the first start creates.
const FIRST_AGENT: &str = "first agent";

/// An agent that was just created, with its first key.
#[derive(Clone, Debug)]
pub struct NewAgent {
    /// The agent.
    pub agent: Agent,
    /// The address of the developer who owns it.
    pub developer: String,
    /// Its key.
    pub key: MintedKey,
    /// The scopes of that key.
    pub scopes: ScopeSet,
}

/// What a start found.
pub enum FirstStart {
    /// Nothing: the first developer, agent and key were created.
    Created(NewAgent),
    /// An agent, of whose keys none has ever been used. Perhaps nobody saw them: a key is shown once,
    /// and the process may have been killed before it was.
    KeyNeverUsed {
        /// The agent's id.
        agent_id: String,
    },
    /// A service in use.
    InUse,
}

impl Console {
    /// Creates the first developer, agent and key, unless there has been an agent before.
    pub async fn first_start(&self) -> Result<FirstStart, Error> {
        let now = self.clock.millis();
        unit::write(&self.db, async move |tx| {
            tx.lock_accounts().await?;
            if tx.ever_had_agents().await? {
                let unused = tx.agent_before_any_use().await?;
                return Ok(match unused {
                    Some(agent_id) => FirstStart::KeyNeverUsed { agent_id },
                    None => FirstStart::InUse,
                });
            }
            let created = operators_agent(tx, FIRST_AGENT, None, ScopeSet::ALL, now);
            created.await.map(FirstStart::Created)
        })
        .await
    }

    /// Creates an agent and its first key from the command line, and its developer if missing.
    /// Without an address the agent goes to the oldest developer.
    pub async fn create_agent(
        &self,
        name: String,
        developer: Option<String>,
        scopes: ScopeSet,
    ) -> Result<NewAgent, Error> {
        let now = self.clock.millis();
        let given = (
            checked_name(&name)?,
            developer.as_deref().map(checked_email).transpose()?,
        );
        unit::write(&self.db, async move |tx| {
            let (name, developer) = &given;
            tx.lock_accounts().await?;
            operators_agent(tx, name, developer.clone(), scopes, now).await
        })
        .await
    }

    /// Creates an agent of a developer, and its first key.
    pub async fn create_agent_of(
        &self,
        developer: &Developer,
        name: &str,
        scopes: ScopeSet,
    ) -> Result<(Agent, MintedKey), Error> {
        let now = self.clock.millis();
        let agent = Agent {
            id: Uuid::new_v4().to_string(),
            developer_id: developer.id.clone(),
            name: checked_name(name)?,
        };
        let manager = Manager::Developer(developer.clone());
        unit::write(&self.db, async move |tx| {
            let (agent, manager) = (&agent, &manager);
            manager.begin(tx).await?;
            let key = insert(tx, manager, agent, scopes, now).await?;
            Ok::<_, Error>((agent.clone(), key))
        })
        .await
    }

    /// Every agent, oldest first, with its developer's address and when it was created (in
    /// milliseconds since 1970).
    pub async fn agents(&self) -> Result<Vec<(Agent, String, i64)>, Error> {
        unit::read(&self.db, async |tx| tx.agents().await).await
    }

    /// An agent of this developer.
    pub async fn agent_of(&self, developer: &DeveloperId, agent_id: &str) -> Result<Agent, Error> {
        let found = unit::read(&self.db, async |tx| {
            tx.agent_of_developer(agent_id, developer).await
        });
        found.await?.ok_or(NO_AGENT)
    }

    /// Renames an agent that the manager may see.
    pub async fn rename_agent(
        &self,
        manager: &Manager,
        agent_id: &str,
        name: &str,
    ) -> Result<(), Error> {
        let now = self.clock.millis();
        let given = (manager.clone(), agent_id.to_owned(), checked_name(name)?);
        unit::write(&self.db, async move |tx| {
            let (manager, agent_id, name) = &given;
            manager.begin(tx).await?;
            let owner = manager.agent(tx, agent_id).await?.developer_id;
            if !tx.rename_agent(agent_id, &owner, name).await? {
                return Err(NO_AGENT);
            }
            let event = manager.did(Action::RenameAgent, now).agent(agent_id);
            tx.audit(None, &event).await?;
            Ok(())
        })
        .await
    }

    /// Deletes an agent that the manager may see: its keys stop working, and nobody can grant it
    /// anything from then on. If `name` is not its name, this does nothing and answers false.
    pub async fn delete_agent(
        &self,
        manager: &Manager,
        agent_id: &str,
        name: &str,
    ) -> Result<bool, Error> {
        let now = self.clock.millis();
        let given = (manager.clone(), agent_id.to_owned(), name.trim().to_owned());
        unit::write(&self.db, async move |tx| {
            let (manager, agent_id, name) = &given;
            manager.begin(tx).await?;
            let agent = manager.agent(tx, agent_id).await?;
            if agent.name != *name {
                return Ok(false);
            }
            if !tx.delete_agent(agent_id, &agent.developer_id, now).await? {
                return Err(NO_AGENT);
            }
            let event = manager.did(Action::DeleteAgent, now).agent(agent_id);
            tx.audit(None, &event).await?;
            Ok(true)
        })
        .await
    }
}

async fn operators_agent(
    tx: &mut Tx,
    name: &str,
    developer: Option<String>,
    scopes: ScopeSet,
    now: i64,
) -> Result<NewAgent, Error> {
    let developer = developers::find_or_add(tx, developer, now).await?;
    let agent = Agent {
        id: Uuid::new_v4().to_string(),
        developer_id: developer.id,
        name: name.to_owned(),
    };
    let key = insert(tx, &Manager::Operator, &agent, scopes, now).await?;
    Ok(NewAgent {
        agent,
        developer: developer.email,
        key,
        scopes,
    })
}

async fn insert(
    tx: &mut Tx,
    manager: &Manager,
    agent: &Agent,
    scopes: ScopeSet,
    now: i64,
) -> Result<MintedKey, Error> {
    tx.insert_agent(agent, now).await?;
    let event = manager.did(Action::CreateAgent, now).agent(&agent.id);
    tx.audit(None, &event).await?;
    keys::mint(tx, manager, &agent.id, &KeyTerms::from(scopes), now).await
}

pub(super) fn checked_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
        return Err(Error::BadRequest(
            "name: expected 1 to 100 bytes of text without control characters".to_owned(),
        ));
    }
    Ok(name.to_owned())
}
