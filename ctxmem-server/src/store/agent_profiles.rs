//! Agent profiles: what developers tell users about an agent, namely its purpose, a page about it, the privacy policy,
//! what it needs and why, and where users go back to. An agent without a row tells nothing.

use std::collections::BTreeMap;

use ctxmem_types::Scope;

use super::arg::args;
use super::row::{FromRow, Row};
use super::statement::statements;
use super::{Result, StoreError, Tx};

/// What a developer tells users of an agent. Texts are empty where nothing is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentProfile {
    /// What the agent is for, in a sentence or two.
    pub purpose: String,
    /// A page about the agent.
    pub url: String,
    /// The privacy policy.
    pub privacy_url: String,
    /// Where users go back to after they have decided about the agent.
    pub return_url: String,
    /// When the website last confirmed the agent, in milliseconds since 1970; `None` where it has not.
    pub verified_at: Option<i64>,
    /// The scopes without which the agent can't do its work, each with the reason.
    pub needs: Needs,
}

/// Scopes that an agent needs, each with the reason.
pub type Needs = BTreeMap<Scope, String>;

/// The same as the column and exported records have it: by the names of the scopes.
pub(super) type NeedsByName = BTreeMap<String, String>;

/// The text of the column.
pub(super) fn needs_to_text(needs: &NeedsByName) -> Result<String> {
    serde_json::to_string(needs).map_err(|_| StoreError::corrupt("agent_profiles", "needs"))
}

/// What the text of the column says.
pub(super) fn needs_from_text(text: &str) -> Result<NeedsByName> {
    serde_json::from_str(text).map_err(|_| StoreError::corrupt("agent_profiles", "needs"))
}

statements! {
    FIND_AGENT_PROFILE:
        "SELECT purpose, url, privacy_url, return_url, needs, verified_at
         FROM agent_profiles WHERE agent_id = $1";
    PUT_AGENT_PROFILE changes Nothing:
        "INSERT INTO agent_profiles (agent_id, purpose, url, privacy_url, return_url, needs)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (agent_id) DO UPDATE SET
             purpose = excluded.purpose, url = excluded.url, privacy_url = excluded.privacy_url,
             return_url = excluded.return_url, needs = excluded.needs,
             verified_at = CASE WHEN agent_profiles.url = excluded.url
                                THEN agent_profiles.verified_at END";
    // What was confirmed is the address that was asked.
    SET_WEBSITE_VERIFIED changes Nothing:
        "UPDATE agent_profiles SET verified_at = $3 WHERE agent_id = $1 AND url = $2";
}

impl Tx {
    /// The profile of this agent.
    pub async fn agent_profile(&mut self, agent_id: &str) -> Result<AgentProfile> {
        let found = self.find_as(FIND_AGENT_PROFILE, args![agent_id]).await?;
        Ok(found.unwrap_or_default())
    }

    /// Sets the profile of this agent. Another website has not confirmed it yet.
    pub async fn put_agent_profile(
        &mut self,
        agent_id: &str,
        profile: &AgentProfile,
    ) -> Result<()> {
        let needs = profile.needs.iter();
        let needs = needs.map(|(scope, reason)| (scope.name().to_owned(), reason.clone()));
        let needs = needs_to_text(&needs.collect())?;
        let args = args![
            agent_id,
            &profile.purpose,
            &profile.url,
            &profile.privacy_url,
            &profile.return_url,
            &needs
        ];
        self.run(PUT_AGENT_PROFILE, args).await
    }

    /// Notes whether this website confirmed the agent, if it is still the agent's.
    pub async fn set_website_verified(
        &mut self,
        agent_id: &str,
        url: &str,
        verified_at: Option<i64>,
    ) -> Result<()> {
        let args = args![agent_id, url, verified_at];
        self.run(SET_WEBSITE_VERIFIED, args).await
    }
}

impl FromRow for AgentProfile {
    fn from_row(row: &Row) -> Result<Self> {
        // A scope of a later version has no place on the pages of this one.
        let needs = needs_from_text(&row.text("needs")?)?
            .into_iter()
            .filter_map(|(name, reason)| Some((Scope::from_name(&name)?, reason)));
        Ok(Self {
            purpose: row.text("purpose")?,
            url: row.text("url")?,
            privacy_url: row.text("privacy_url")?,
            return_url: row.text("return_url")?,
            verified_at: row.int_or_null("verified_at")?,
            needs: needs.collect(),
        })
    }
}
