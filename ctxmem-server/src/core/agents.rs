//! What operators do from the command line: developers, agents and keys.

use ctxmem_types::ScopeSet;
use uuid::Uuid;

use super::keys::{self, MintedKey};
use super::{Core, Error};
use crate::store::{Agent, Developer, KeyRow, Tx};

/// The developer to whom things belong when nobody said otherwise.
const FIRST_DEVELOPER: &str = "developer@localhost";
/// The agent that the first start makes.
const FIRST_AGENT: &str = "first agent";

/// An agent that was just made, with its first key.
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

impl Core {
    /// Makes a first developer, agent and key when there is no agent at all.
    pub async fn first_start(&self) -> Result<Option<NewAgent>, Error> {
        let now = self.now();
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    tx.lock_accounts().await?;
                    if !tx.agents().await?.is_empty() {
                        return Ok(None);
                    }
                    new_agent(tx, FIRST_AGENT, None, ScopeSet::ALL, now)
                        .await
                        .map(Some)
                })
            })
            .await
    }

    /// Makes an agent and its first key. The developer is made when missing; without an
    /// address it is the oldest one.
    pub async fn create_agent(
        &self,
        name: String,
        developer: Option<String>,
        scopes: ScopeSet,
    ) -> Result<NewAgent, Error> {
        let now = self.now();
        let name = checked_name(&name)?;
        let developer = developer.as_deref().map(checked_email).transpose()?;
        self.db
            .write(move |tx| {
                let (name, developer) = (name.clone(), developer.clone());
                Box::pin(async move {
                    tx.lock_accounts().await?;
                    new_agent(tx, &name, developer, scopes, now).await
                })
            })
            .await
    }

    /// Every agent, oldest first, with its developer's address and when it was created (in
    /// milliseconds since 1970).
    pub async fn agents(&self) -> Result<Vec<(Agent, String, i64)>, Error> {
        let agents = self
            .db
            .read(|tx| Box::pin(async move { tx.agents().await }))
            .await?;
        Ok(agents)
    }

    /// Makes another key for an agent.
    pub async fn create_key(&self, agent_id: String, scopes: ScopeSet) -> Result<MintedKey, Error> {
        let now = self.now();
        self.db
            .write(move |tx| {
                let agent_id = agent_id.clone();
                Box::pin(async move {
                    if tx.agent(&agent_id).await?.is_none() {
                        return Err(Error::NotFound("There is no such agent."));
                    }
                    Ok(keys::mint(tx, &agent_id, scopes, now).await?)
                })
            })
            .await
    }

    /// Every key, oldest first.
    pub async fn keys(&self) -> Result<Vec<KeyRow>, Error> {
        let keys = self
            .db
            .read(|tx| Box::pin(async move { tx.keys().await }))
            .await?;
        Ok(keys)
    }

    /// Revokes a key: from now on no request with it is answered.
    pub async fn revoke_key(&self, key_id: String) -> Result<(), Error> {
        let now = self.now();
        self.db
            .write(move |tx| {
                let key_id = key_id.clone();
                Box::pin(async move {
                    if tx.revoke_key(&key_id, now).await? {
                        Ok(())
                    } else {
                        Err(Error::NotFound("There is no such key."))
                    }
                })
            })
            .await
    }

    /// Makes a developer.
    pub async fn create_developer(&self, email: &str) -> Result<Developer, Error> {
        let now = self.now();
        let email = checked_email(email)?;
        self.db
            .write(move |tx| {
                let email = email.clone();
                Box::pin(async move {
                    tx.lock_accounts().await?;
                    if tx.developer(&email).await?.is_some() {
                        return Err(Error::BadRequest(
                            "email: expected an address that no developer has yet".to_owned(),
                        ));
                    }
                    new_developer(tx, &email, now).await
                })
            })
            .await
    }

    /// Sets a developer's password, given its hash.
    pub async fn set_password(&self, email: &str, hash: String) -> Result<(), Error> {
        let email = checked_email(email)?;
        self.db
            .write(move |tx| {
                let (email, hash) = (email.clone(), hash.clone());
                Box::pin(async move {
                    if tx.set_password(&email, &hash).await? {
                        Ok(())
                    } else {
                        Err(Error::NotFound("There is no such developer."))
                    }
                })
            })
            .await
    }
}

async fn new_agent(
    tx: &mut Tx,
    name: &str,
    developer: Option<String>,
    scopes: ScopeSet,
    now: i64,
) -> Result<NewAgent, Error> {
    let found = match &developer {
        Some(email) => tx.developer(email).await?,
        None => tx.oldest_developer().await?,
    };
    let developer = if let Some(developer) = found {
        developer
    } else {
        let email = developer.as_deref().unwrap_or(FIRST_DEVELOPER);
        new_developer(tx, email, now).await?
    };
    let agent = Agent {
        id: Uuid::new_v4().to_string(),
        developer_id: developer.id,
        name: name.to_owned(),
    };
    tx.insert_agent(&agent, now).await?;
    let key = keys::mint(tx, &agent.id, scopes, now).await?;
    Ok(NewAgent {
        agent,
        developer: developer.email,
        key,
        scopes,
    })
}

async fn new_developer(tx: &mut Tx, email: &str, now: i64) -> Result<Developer, Error> {
    let developer = Developer {
        id: Uuid::new_v4().to_string(),
        email: email.to_owned(),
    };
    tx.insert_developer(&developer, now).await?;
    Ok(developer)
}

fn checked_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
        return Err(Error::BadRequest(
            "name: expected 1 to 100 bytes of text without control characters".to_owned(),
        ));
    }
    Ok(name.to_owned())
}

fn checked_email(email: &str) -> Result<String, Error> {
    let email = email.trim().to_lowercase();
    let plausible = email.len() <= 254
        && !email.contains(|c: char| c.is_whitespace() || c.is_control())
        && email
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if plausible {
        Ok(email)
    } else {
        Err(Error::BadRequest(
            "email: expected an address such as dev@example.com".to_owned(),
        ))
    }
}
