//! Rows of grants. `core::grants` decides who may make which.

use std::collections::HashMap;

use ctxmem_types::{ScopeSet, UserId};
use uuid::Uuid;

use super::arg::args;
use super::row::{FromColumn, FromRow, Row, named};
use super::statement::statements;
use super::{Hash, Result, Tx};

/// How many grants of an agent and a user are kept that the user replaced. The newest grant decides;
/// the others are there for who still knows them by their ids.
const REPLACED: i64 = 8;

named! {
    /// Who made a grant. Narrowing keeps it.
    GrantedBy {
        /// An agent's key, explicitly or by its first call.
        Agent = "agent",
        /// The user, signed in.
        User = "user",
    }
}

/// One stored grant. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantRow {
    /// A UUID.
    pub id: String,
    /// The agent that is granted.
    pub agent_id: String,
    /// What it may read and write.
    pub scopes: ScopeSet,
    /// Who made it.
    pub made_by: GrantedBy,
    /// When it was made.
    pub created_at: i64,
    /// Since when the agent has had access without a break, by this grant and those that it replaced.
    pub since: i64,
    /// When it ends; `None` when never.
    pub expires_at: Option<i64>,
    /// The expiry as it was asked for.
    pub expires_text: Option<String>,
    /// When it was noted that its end has passed.
    pub expired_at: Option<i64>,
    /// When it was revoked or replaced.
    pub revoked_at: Option<i64>,
}

/// What a grant allows, and until when. Instants are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantTerms {
    /// What the agent may read and write.
    pub scopes: ScopeSet,
    /// When it ends; `None` when never.
    pub expires_at: Option<i64>,
    /// When it was noted that its end has passed.
    pub expired_at: Option<i64>,
    /// When it was revoked or replaced.
    pub revoked_at: Option<i64>,
}

impl GrantTerms {
    /// Of a row that names the scopes `granted`; `None` where it holds no grant.
    pub(super) fn from_row(row: &Row) -> Result<Option<Self>> {
        if row.int_or_null("granted")?.is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            scopes: row.scopes("grants", "granted")?,
            expires_at: row.int_or_null("expires_at")?,
            expired_at: row.int_or_null("expired_at")?,
            revoked_at: row.int_or_null("revoked_at")?,
        }))
    }
}

impl GrantRow {
    /// A new grant that does not end, with an id of its own.
    pub fn new(agent_id: &str, scopes: ScopeSet, made_by: GrantedBy, created_at: i64) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            agent_id: agent_id.to_owned(),
            scopes,
            made_by,
            created_at,
            since: created_at,
            expires_at: None,
            expires_text: None,
            expired_at: None,
            revoked_at: None,
        }
    }

    /// What it allows, and until when.
    pub fn terms(&self) -> GrantTerms {
        GrantTerms {
            scopes: self.scopes,
            expires_at: self.expires_at,
            expired_at: self.expired_at,
            revoked_at: self.revoked_at,
        }
    }

    /// Whether the agent itself made it, explicitly or by its first call.
    pub fn is_by_agent(&self) -> bool {
        self.made_by == GrantedBy::Agent
    }

    /// Whether the user refused the agent: then it never held.
    pub fn is_refusal(&self) -> bool {
        self.made_by == GrantedBy::User
            && self.scopes.is_empty()
            && self.revoked_at == Some(self.created_at)
    }
}

/// A grant as its user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAccess {
    /// The grant.
    pub grant: GrantRow,
    /// What the agent is called.
    pub agent_name: String,
    /// The address of its developer, or the host of a program that the user let in over OAuth.
    pub developer: String,
    /// Its website, where that confirmed the agent; empty otherwise.
    pub website: String,
    /// Whether the agent was deleted since: then it can't use the grant.
    pub agent_deleted: bool,
    /// When the agent last used what is granted, in milliseconds since 1970.
    pub last_used_at: Option<i64>,
}

statements! {
    FIND_LATEST_GRANT:
        "SELECT id, agent_id, scopes, made_by, created_at, since_at, expires_at, expires_text,
                expired_at, revoked_at
         FROM grants WHERE user_key = $1 AND agent_id = $2 AND latest = 1";
    FIND_GRANT:
        "SELECT id, agent_id, scopes, made_by, created_at, since_at, expires_at, expires_text,
                expired_at, revoked_at
         FROM grants WHERE user_key = $1 AND id = $2";
    LIST_GRANTS:
        "SELECT g.id, g.agent_id, g.scopes, g.made_by, g.created_at, g.since_at, g.expires_at,
                g.expires_text, g.expired_at, g.revoked_at, g.last_used_at, a.name AS agent_name,
                a.deleted_at AS agent_deleted_at, COALESCE(d.contact, d.email) AS developer,
                p.url AS website
         FROM grants g JOIN agents a ON a.id = g.agent_id
         JOIN developers d ON d.id = a.developer_id
         LEFT JOIN agent_profiles p ON p.agent_id = a.id AND p.verified_at IS NOT NULL
         WHERE g.user_key = $1 AND g.latest = 1 ORDER BY g.created_at, g.id";
    LIST_KEYS_OF_GRANTED_AGENTS:
        "SELECT g.agent_id, k.scopes
         FROM grants g JOIN api_keys k ON k.agent_id = g.agent_id
         WHERE g.user_key = $1 AND g.latest = 1 AND k.revoked_at IS NULL
           AND (k.expires_at IS NULL OR k.expires_at > $2)";
    FIND_LAST_USE:
        "SELECT MAX(last_used_at) AS last_used_at FROM grants WHERE user_key = $1 AND agent_id = $2";
    RETIRE_GRANT changes Access:
        "UPDATE grants SET latest = 0, revoked_at = COALESCE(revoked_at, $3)
         WHERE user_key = $1 AND agent_id = $2 AND latest = 1";
    INSERT_GRANT changes Access:
        "INSERT INTO grants (user_key, id, agent_id, scopes, made_by, created_at, since_at,
                             expires_at, expires_text, last_used_at, revoked_at, latest)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL, 1)";
    // A note that the grant has expired is about the end that it had before, also one that was written
    // since the grant was read: what is renewed has none, and what is narrowed keeps it.
    CHANGE_GRANT changes Access:
        "UPDATE grants SET scopes = $3, expires_at = $4, expires_text = $5, since_at = $7,
                expired_at = CASE WHEN CAST($6 AS BIGINT) = 1 THEN NULL ELSE expired_at END
         WHERE user_key = $1 AND id = $2 AND latest = 1 AND revoked_at IS NULL";
    // The user's grants are few, because of this.
    DROP_OLD_GRANTS changes Access:
        "DELETE FROM grants WHERE user_key = $1 AND agent_id = $2 AND latest = 0 AND id NOT IN (
             SELECT id FROM grants WHERE user_key = $1 AND agent_id = $2 AND latest = 0
             ORDER BY created_at DESC, id LIMIT $3)";
    REVOKE_GRANT changes Access:
        "UPDATE grants SET revoked_at = COALESCE(revoked_at, $3) WHERE user_key = $1 AND id = $2";
    // On Postgres the outer condition is judged again on a row that another transaction has changed
    // meanwhile, the inner one is not: what is renewed meanwhile is not noted.
    NOTE_EXPIRED_GRANTS changes Access:
        "UPDATE grants SET expired_at = $1
         WHERE expired_at IS NULL AND expires_at <= $1 AND (user_key, id) IN (
             SELECT user_key, id FROM grants
             WHERE latest = 1 AND expired_at IS NULL AND expires_at <= $1
             ORDER BY expires_at LIMIT $2)
         RETURNING user_key";
    DROP_REPLACED_GRANTS changes Access: "DELETE FROM grants WHERE user_key = $1 AND latest = 0";
    DROP_GRANTS changes Access: "DELETE FROM grants WHERE user_key = $1";
}

impl Tx {
    /// The newest grant between the agent and the user, in whatever state.
    pub async fn latest_grant(
        &mut self,
        agent_id: &str,
        user_id: &UserId,
    ) -> Result<Option<GrantRow>> {
        let key = self.user_key(user_id);
        self.find_as(FIND_LATEST_GRANT, args![&key, agent_id]).await
    }

    /// A grant of this user by its id.
    pub async fn grant(&mut self, user_id: &UserId, grant_id: &str) -> Result<Option<GrantRow>> {
        let key = self.user_key(user_id);
        self.find_as(FIND_GRANT, args![&key, grant_id]).await
    }

    /// The newest grant of every agent that ever had one from this user.
    pub async fn grants(&mut self, user_id: &UserId) -> Result<Vec<AgentAccess>> {
        let key = self.user_key(user_id);
        self.list_with(LIST_GRANTS, args![&key], |row| {
            Ok(AgentAccess {
                grant: GrantRow::from_row(row)?,
                agent_name: row.text("agent_name")?,
                developer: row.text("developer")?,
                website: row.text_or_null("website")?.unwrap_or_default(),
                agent_deleted: row.int_or_null("agent_deleted_at")?.is_some(),
                last_used_at: row.int_or_null("last_used_at")?,
            })
        })
        .await
    }

    /// What the keys that work at this instant allow, of each agent that ever had a grant of this user:
    /// with several keys, what any of them allows. Agents without such a key are left out.
    pub async fn reaches(
        &mut self,
        user_id: &UserId,
        now: i64,
    ) -> Result<HashMap<String, ScopeSet>> {
        let key = self.user_key(user_id);
        let args = args![&key, now];
        let mut reaches: HashMap<String, ScopeSet> = HashMap::new();
        for row in self.list(LIST_KEYS_OF_GRANTED_AGENTS, args).await? {
            let reach = reaches.entry(row.text("agent_id")?).or_default();
            let scopes = row.scopes("api_keys", "scopes")?;
            *reach = scopes.iter().fold(*reach, ScopeSet::with);
        }
        Ok(reaches)
    }

    /// Makes this the newest grant of its agent and user, and revokes the one before it. When the agent
    /// last used the user's memory stays known. Grants that were replaced long ago are dropped. Lock the
    /// user first; there must be a row.
    pub async fn put_grant(&mut self, user_id: &UserId, grant: &GrantRow) -> Result<()> {
        let key = self.user_key(user_id);
        self.touch_access(&key).await?;
        let args = args![&key, &grant.agent_id, grant.created_at];
        self.run(RETIRE_GRANT, args).await?;
        // Now nobody notes a use of the one before.
        let of_agent = args![&key, &grant.agent_id];
        let used = |row: &Row| row.int_or_null("last_used_at");
        let used = self.find_with(FIND_LAST_USE, of_agent, used).await?;
        let old = args![&key, &grant.agent_id, REPLACED];
        self.run(DROP_OLD_GRANTS, old).await?;
        self.run(
            INSERT_GRANT,
            args![
                &key,
                &grant.id,
                &grant.agent_id,
                grant.scopes,
                grant.made_by.as_str(),
                grant.created_at,
                grant.since,
                grant.expires_at,
                &grant.expires_text,
                used.flatten()
            ],
        )
        .await
    }

    /// Gives the newest grant of its agent and user other scopes and another end. It keeps its id, who
    /// made it and when. One that had expired is current again if it `is_renewed`, whether its end was
    /// noted before or is noted at the same time. It fails where there is none, or it was revoked or
    /// replaced. Lock the user before.
    pub async fn change_grant(
        &mut self,
        user_id: &UserId,
        grant: &GrantRow,
        is_renewed: bool,
    ) -> Result<()> {
        let key = self.user_key(user_id);
        self.touch_access(&key).await?;
        let args = args![
            &key,
            &grant.id,
            grant.scopes,
            grant.expires_at,
            &grant.expires_text,
            is_renewed,
            grant.since
        ];
        self.run_one(CHANGE_GRANT, args, "grants", &grant.id).await
    }

    /// Revokes a grant of this user, which must exist. One that was revoked before keeps its
    /// instant.
    pub async fn revoke_grant(&mut self, user_id: &UserId, grant_id: &str, now: i64) -> Result<()> {
        let key = self.user_key(user_id);
        self.touch_access(&key).await?;
        // Whoever was let in over OAuth signs in anew.
        self.end_oauth_connections_of_grant(&key, grant_id).await?;
        let args = args![&key, grant_id, now];
        self.run_one(REVOKE_GRANT, args, "grants", grant_id).await
    }

    /// Notes that the end of some grants, at most, has passed at this instant, and answers of how many.
    /// They stay expired.
    pub async fn note_expired_grants(&mut self, now: i64, at_most: u32) -> Result<usize> {
        let rows = self.list(NOTE_EXPIRED_GRANTS, args![now, at_most]).await?;
        for row in &rows {
            self.name_user(row.hash("grants", "user_key")?);
        }
        Ok(rows.len())
    }

    pub(super) async fn drop_replaced_grants(&mut self, user_key: &Hash) -> Result<()> {
        self.run(DROP_REPLACED_GRANTS, args![user_key]).await
    }

    /// Deletes every grant of this user, so that the next first call makes one again. Test users
    /// need this, since they can't sign in to allow access. Lock the user before.
    pub async fn drop_grants(&mut self, user_id: &UserId) -> Result<()> {
        let key = self.user_key(user_id);
        if self.execute(DROP_GRANTS, args![&key]).await? > 0 {
            self.touch_access(&key).await?;
        }
        Ok(())
    }
}

impl FromRow for GrantRow {
    fn from_row(row: &Row) -> Result<Self> {
        let id = row.text("id")?;
        let scopes = row.scopes("grants", "scopes");
        let scopes = scopes.map_err(|error| error.in_row(&id))?;
        let made_by = GrantedBy::from_column(row, "grants", "made_by");
        let made_by = made_by.map_err(|error| error.in_row(&id))?;
        let created_at = row.int("created_at")?;
        Ok(Self {
            id,
            agent_id: row.text("agent_id")?,
            scopes,
            made_by,
            created_at,
            since: row.int_or_null("since_at")?.unwrap_or(created_at),
            expires_at: row.int_or_null("expires_at")?,
            expires_text: row.text_or_null("expires_text")?,
            expired_at: row.int_or_null("expired_at")?,
            revoked_at: row.int_or_null("revoked_at")?,
        })
    }
}
