//! What developers tell users of their agents: the purpose, a page about it, the privacy policy. An
//! agent without a row tells nothing.

use super::row::Row;
use super::statement::statements;
use super::{StoreError, Tx};

/// What a developer tells users of an agent. Texts are empty where nothing is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentProfile {
    /// What the agent is for, in a sentence or two.
    pub purpose: String,
    /// A page about the agent.
    pub url: String,
    /// The privacy policy.
    pub privacy_url: String,
}

statements! {
    FIND_AGENT_PROFILE: "SELECT purpose, url, privacy_url FROM agent_profiles WHERE agent_id = $1";
    PUT_AGENT_PROFILE changes Nothing:
        "INSERT INTO agent_profiles (agent_id, purpose, url, privacy_url) VALUES ($1, $2, $3, $4)
         ON CONFLICT (agent_id) DO UPDATE SET
             purpose = excluded.purpose, url = excluded.url, privacy_url = excluded.privacy_url";
}

impl Tx {
    /// The profile of this agent.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn agent_profile(&mut self, agent_id: &str) -> Result<AgentProfile, StoreError> {
        let row = self.find(FIND_AGENT_PROFILE, &[agent_id.into()]).await?;
        row.as_ref()
            .map_or(Ok(AgentProfile::default()), AgentProfile::from_row)
    }

    /// Sets the profile of this agent.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn put_agent_profile(
        &mut self,
        agent_id: &str,
        profile: &AgentProfile,
    ) -> Result<(), StoreError> {
        let args = [
            agent_id.into(),
            (&profile.purpose).into(),
            (&profile.url).into(),
            (&profile.privacy_url).into(),
        ];
        self.run(PUT_AGENT_PROFILE, &args).await?;
        Ok(())
    }
}

impl AgentProfile {
    fn from_row(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            purpose: row.text("purpose")?,
            url: row.text("url")?,
            privacy_url: row.text("privacy_url")?,
        })
    }
}
