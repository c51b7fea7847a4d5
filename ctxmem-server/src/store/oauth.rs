//! Programs that users connected over OAuth, and the agents that stand for them.

use ctxmem_types::UserId;

use super::arg::args;
use super::row::from_row;
use super::statement::statements;
use super::{Agent, Hash, KeyRow, Result, Tx};

/// How many connections of a user are kept at most; those that were renewed longest ago go first.
const MOST: i64 = 50;

/// A connection as its newest tokens name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthConnection {
    /// A UUID.
    pub id: String,
    /// The agent that stands for the program.
    pub agent_id: String,
    /// How many times its tokens were renewed.
    pub generation: i64,
    /// When they last were, in milliseconds since 1970.
    pub renewed_at: i64,
}

statements! {
    INSERT_OAUTH_CONNECTION changes Nothing:
        "INSERT INTO oauth_connections (user_key, id, agent_id, generation, created_at, renewed_at)
         VALUES ($1, $2, $3, 0, $4, $4)";
    DROP_OAUTH_CONNECTIONS_OVER changes Nothing:
        "DELETE FROM oauth_connections WHERE user_key = $1 AND id NOT IN (
             SELECT id FROM oauth_connections WHERE user_key = $1
             ORDER BY renewed_at DESC, id LIMIT $2)";
    FIND_OAUTH_CONNECTION:
        "SELECT id, agent_id, generation, renewed_at FROM oauth_connections
         WHERE user_key = $1 AND id = $2";
    // The agent's own key has the id of the agent.
    FIND_KEY_OF_OAUTH_CONNECTION:
        "SELECT k.id, k.agent_id, k.prefix, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                k.name, k.expires_at, k.replaced_by
         FROM oauth_connections c
         JOIN api_keys k ON k.id = c.agent_id
         JOIN agents a ON a.id = k.agent_id
         JOIN grants g ON g.user_key = c.user_key AND g.agent_id = c.agent_id AND g.latest = 1
         WHERE g.revoked_at IS NULL AND c.user_key = $1 AND c.id = $2 AND c.generation > 0 AND a.deleted_at IS NULL";
    // One statement checks and counts, so of many requests at once only one succeeds.
    RENEW_OAUTH_CONNECTION changes Nothing:
        "UPDATE oauth_connections SET generation = generation + 1, renewed_at = $4
         WHERE user_key = $1 AND id = $2 AND generation = $3 AND renewed_at > $5";
    END_OAUTH_CONNECTION changes Nothing:
        "DELETE FROM oauth_connections WHERE user_key = $1 AND id = $2";
    END_OAUTH_CONNECTIONS_OF_GRANT changes Nothing:
        "DELETE FROM oauth_connections WHERE user_key = $1 AND agent_id IN (
             SELECT agent_id FROM grants WHERE user_key = $1 AND id = $2)";
    END_OAUTH_CONNECTIONS_OF_USER changes Nothing:
        "DELETE FROM oauth_connections WHERE user_key = $1";
    DROP_OLD_OAUTH_CONNECTIONS changes Nothing:
        "DELETE FROM oauth_connections
         WHERE renewed_at <= $1 OR (generation = 0 AND created_at <= $2)";
    // Nobody signs in as a host. Its agents never had demo facts.
    ENSURE_OAUTH_HOST:
        "INSERT INTO developers (id, email, created_at, first_fact_at, role)
         VALUES ($1, $2, $3, $3, 'gone') ON CONFLICT DO NOTHING";
}

from_row! { OAuthConnection in "oauth_connections": id, agent_id, generation, renewed_at }

impl Tx {
    /// Stores a connection whose code was not redeemed yet, and drops the user's oldest where there are
    /// too many.
    pub async fn insert_oauth_connection(
        &mut self,
        user_id: &UserId,
        id: &str,
        agent_id: &str,
        now: i64,
    ) -> Result<()> {
        let key = self.user_key(user_id);
        let args = args![&key, id, agent_id, now];
        self.run(INSERT_OAUTH_CONNECTION, args).await?;
        self.run(DROP_OAUTH_CONNECTIONS_OVER, args![&key, MOST])
            .await
    }

    /// The connection with this id.
    pub async fn oauth_connection(
        &mut self,
        user_id: &UserId,
        id: &str,
    ) -> Result<Option<OAuthConnection>> {
        let key = self.user_key(user_id);
        self.find_as(FIND_OAUTH_CONNECTION, args![&key, id]).await
    }

    /// The key of the agent that stands for the program, revoked or not; `None` where the connection has
    /// ended or the agent was deleted.
    pub async fn key_of_oauth_connection(
        &mut self,
        user_id: &UserId,
        id: &str,
    ) -> Result<Option<KeyRow>> {
        let key = self.user_key(user_id);
        let args = args![&key, id];
        self.find_as(FIND_KEY_OF_OAUTH_CONNECTION, args).await
    }

    /// Counts a renewal of a connection that is of this generation and was renewed after `since`, and
    /// answers whether there is one.
    pub async fn renew_oauth_connection(
        &mut self,
        user_id: &UserId,
        id: &str,
        generation: i64,
        now: i64,
        since: i64,
    ) -> Result<bool> {
        let key = self.user_key(user_id);
        let args = args![&key, id, generation, now, since];
        Ok(self.execute(RENEW_OAUTH_CONNECTION, args).await? > 0)
    }

    /// Ends a connection.
    pub async fn end_oauth_connection(&mut self, user_id: &UserId, id: &str) -> Result<()> {
        let key = self.user_key(user_id);
        self.run(END_OAUTH_CONNECTION, args![&key, id]).await
    }

    /// Ends the connections of the agent to which this grant was given.
    pub(super) async fn end_oauth_connections_of_grant(
        &mut self,
        user_key: &Hash,
        grant_id: &str,
    ) -> Result<()> {
        let args = args![user_key, grant_id];
        self.run(END_OAUTH_CONNECTIONS_OF_GRANT, args).await
    }

    /// Ends all connections of a user.
    pub(super) async fn end_oauth_connections_of(&mut self, user_key: &Hash) -> Result<()> {
        self.run(END_OAUTH_CONNECTIONS_OF_USER, args![user_key])
            .await
    }

    /// Deletes connections that were renewed at `renewed_until` or before, and those that began at
    /// `begun_until` or before and whose code was never redeemed.
    pub async fn drop_old_oauth_connections(
        &mut self,
        renewed_until: i64,
        begun_until: i64,
    ) -> Result<()> {
        let args = args![renewed_until, begun_until];
        self.run(DROP_OLD_OAUTH_CONNECTIONS, args).await
    }

    /// Adds an agent that stands for a program of this host. The host is its developer: nobody can sign
    /// in as it.
    pub async fn insert_agent_of_host(
        &mut self,
        agent: &Agent,
        host: &str,
        now: i64,
    ) -> Result<()> {
        let args = args![&agent.developer_id, host, now];
        self.run(ENSURE_OAUTH_HOST, args).await?;
        self.insert_agent(agent, now).await
    }
}
