//! Agents that wait for a user's consent, and what a user has decided about all agents: to be asked
//! first, and to pause all access. `core::first_grant` decides who has to wait.

use ctxmem_types::{ScopeSet, UserId};

use super::arg::args;
use super::row::from_row;
use super::statement::statements;
use super::{AutoDelete, Hash, Result, StoreError, Tx};

/// How many agents wait for one user at most. Those that called last stay.
const WAITING_FOR_USER: i64 = 20;
/// For how many users one agent waits at most. Others can still allow it at their consent page.
const WAITING_OF_AGENT: i64 = 5_000;

/// An agent that waits for the user. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentRequest {
    /// The agent.
    pub agent_id: String,
    /// What the agent is called.
    pub agent_name: String,
    /// What its keys that called allow.
    pub scopes: ScopeSet,
    /// When it first called.
    pub first_at: i64,
    /// When it last called, to some minutes.
    pub last_at: i64,
    /// How often it called, to some minutes.
    pub times: i64,
}

/// What became of a call of an agent that has to wait for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotedRequest {
    /// It waits now.
    New,
    /// It waited before.
    Again,
    /// It waits for so many users already that no more are noted.
    Full,
}

/// Calls of an agent that waits for a user already.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepeatedCalls {
    /// The key of the user.
    pub user_key: Hash,
    /// The agent.
    pub agent_id: String,
    /// How many there were.
    pub times: i64,
    /// The last one, in milliseconds since 1970.
    pub last_at: i64,
}

/// How an agent stands to a user whom it has no grant of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether the user ever granted any agent anything, or refused it.
    pub has_decided: bool,
    /// Whether an agent of the same developer has access now.
    pub knows_developer: bool,
}

statements! {
    // Both parts look rows up by the user.
    FIND_STANDING:
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM grants WHERE user_key = $1 LIMIT 1) AS any_grant)
                    AS decided,
                (SELECT COUNT(*) FROM grants g JOIN agents a ON a.id = g.agent_id
                 WHERE g.user_key = $1 AND g.latest = 1 AND g.scopes <> 0
                   AND g.revoked_at IS NULL AND g.expired_at IS NULL
                   AND (g.expires_at IS NULL OR g.expires_at > $3)
                   AND a.deleted_at IS NULL
                   AND a.developer_id = (SELECT developer_id FROM agents WHERE id = $2)) AS known";
    ADD_TO_CONSENT_REQUEST changes Nothing:
        "UPDATE consent_requests SET times = times + $3, scopes = scopes | $5,
                last_at = CASE WHEN last_at < $4 THEN $4 ELSE last_at END
         WHERE user_key = $1 AND agent_id = $2";
    COUNT_REPEATED_CALLS changes Nothing:
        "UPDATE consent_requests SET times = times + $3,
                last_at = CASE WHEN last_at < $4 THEN $4 ELSE last_at END
         WHERE user_key = $1 AND agent_id = $2";
    COUNT_CONSENT_REQUESTS_OF_AGENT:
        "SELECT COUNT(*) AS waiting FROM (
             SELECT 1 FROM consent_requests WHERE agent_id = $1 LIMIT $2) AS some_requests";
    INSERT_CONSENT_REQUEST changes Nothing:
        "INSERT INTO consent_requests (user_key, agent_id, scopes, first_at, last_at, times)
         VALUES ($1, $2, $3, $4, $4, 1) ON CONFLICT DO NOTHING";
    DROP_OLDEST_CONSENT_REQUESTS changes Nothing:
        "DELETE FROM consent_requests WHERE user_key = $1 AND agent_id NOT IN (
             SELECT agent_id FROM consent_requests WHERE user_key = $1
             ORDER BY last_at DESC, agent_id LIMIT $2)";
    // A grant may have been made while the request was written.
    LIST_CONSENT_REQUESTS:
        "SELECT r.agent_id, a.name AS agent_name, r.scopes, r.first_at, r.last_at, r.times
         FROM consent_requests r JOIN agents a ON a.id = r.agent_id AND a.deleted_at IS NULL
         WHERE r.user_key = $1 AND NOT EXISTS (
             SELECT 1 FROM grants g
             WHERE g.user_key = r.user_key AND g.agent_id = r.agent_id AND g.latest = 1)
         ORDER BY r.first_at, r.agent_id";
    DROP_CONSENT_REQUEST changes Nothing:
        "DELETE FROM consent_requests WHERE user_key = $1 AND agent_id = $2";
    DROP_CONSENT_REQUESTS changes Nothing: "DELETE FROM consent_requests WHERE user_key = $1";
    // The age is asked for twice: on Postgres the outer condition is judged again on a row that another
    // transaction has changed meanwhile, the inner one is not. The request of an agent that calls again stays.
    DROP_OLD_CONSENT_REQUESTS changes Nothing:
        "DELETE FROM consent_requests WHERE last_at <= $1 AND (user_key, agent_id) IN (
             SELECT user_key, agent_id FROM consent_requests
             WHERE last_at <= $1 ORDER BY last_at LIMIT $2)";
    // A row without a key: nothing is stored under it until something is granted.
    ADD_USER_WITHOUT_KEY changes Access:
        "INSERT INTO users (user_key, epoch, next_position) VALUES ($1, 0, 0)
         ON CONFLICT DO NOTHING";
    SET_ASKS changes Access: "UPDATE users SET asks = $2 WHERE user_key = $1";
    SET_PAUSED changes Access:
        "UPDATE users SET paused_at = $2, version = version + 1 WHERE user_key = $1";
    SET_ACCESS_SEEN changes Access: "UPDATE users SET access_seen_at = $2 WHERE user_key = $1";
    FIND_CHOICES:
        "SELECT asks, paused_at, access_seen_at, auto_delete FROM users WHERE user_key = $1";
}

/// What a user has decided about all agents, and about all facts. Instants are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Whether the user wants to be asked before an agent gets access.
    pub asks: bool,
    /// When the user paused all access; `None` while it is not paused.
    pub paused_at: Option<i64>,
    /// When the user said to have seen which agents got access by themselves.
    pub access_seen_at: Option<i64>,
    /// After how long facts are deleted by themselves.
    pub auto_delete: AutoDelete,
}

impl Tx {
    /// How this agent stands to the user at this instant.
    pub async fn standing(
        &mut self,
        agent_id: &str,
        user_id: &UserId,
        now: i64,
    ) -> Result<Standing> {
        let key = self.user_key(user_id);
        let row = self.find(FIND_STANDING, args![&key, agent_id, now]).await?;
        let row = row.ok_or(StoreError::corrupt("grants", "user_key"))?;
        Ok(Standing {
            has_decided: row.int("decided")? > 0,
            knows_developer: row.int("known")? > 0,
        })
    }

    /// Notes that an agent called which has to wait for the user.
    pub async fn note_consent_request(
        &mut self,
        agent_id: &str,
        user_id: &UserId,
        scopes: ScopeSet,
        now: i64,
    ) -> Result<NotedRequest> {
        let key = self.user_key(user_id);
        let again = args![&key, agent_id, 1_i64, now, scopes];
        if self.execute(ADD_TO_CONSENT_REQUEST, again).await? > 0 {
            return Ok(NotedRequest::Again);
        }
        let args = args![agent_id, WAITING_OF_AGENT];
        let waiting = self.find(COUNT_CONSENT_REQUESTS_OF_AGENT, args).await?;
        let waiting = waiting.map(|row| row.int("waiting")).transpose()?;
        if waiting.unwrap_or_default() >= WAITING_OF_AGENT {
            return Ok(NotedRequest::Full);
        }
        let new = args![&key, agent_id, scopes, now];
        self.run(INSERT_CONSENT_REQUEST, new).await?;
        let args = args![&key, WAITING_FOR_USER];
        self.run(DROP_OLDEST_CONSENT_REQUESTS, args).await?;
        Ok(NotedRequest::New)
    }

    /// Counts calls of agents that wait already. Sort them: then two processes can't wait for each
    /// other.
    pub async fn count_repeated_calls(&mut self, calls: &[RepeatedCalls]) -> Result<()> {
        for call in calls {
            let args = args![&call.user_key, &call.agent_id, call.times, call.last_at];
            self.run(COUNT_REPEATED_CALLS, args).await?;
        }
        Ok(())
    }

    /// The agents that wait for this user, the first one first.
    pub async fn consent_requests(&mut self, user_id: &UserId) -> Result<Vec<ConsentRequest>> {
        let key = self.user_key(user_id);
        self.list_as(LIST_CONSENT_REQUESTS, args![&key]).await
    }

    /// The user has decided about this agent: it no longer waits.
    pub async fn drop_consent_request(&mut self, agent_id: &str, user_id: &UserId) -> Result<()> {
        let key = self.user_key(user_id);
        self.run(DROP_CONSENT_REQUEST, args![&key, agent_id]).await
    }

    pub(super) async fn drop_consent_requests(&mut self, user_key: &Hash) -> Result<()> {
        self.run(DROP_CONSENT_REQUESTS, args![user_key]).await
    }

    /// Forgets some requests, at most, of agents that last called at this instant or before, and
    /// answers how many.
    pub async fn drop_old_consent_requests(&mut self, until: i64, at_most: u32) -> Result<u64> {
        let args = args![until, at_most];
        self.execute(DROP_OLD_CONSENT_REQUESTS, args).await
    }

    /// Locks the user's row, and adds one without a key where there is none.
    pub async fn lock_or_note_user(&mut self, user_id: &UserId) -> Result<()> {
        if self.lock_user(user_id).await?.is_none() {
            let key = self.user_key(user_id);
            self.run(ADD_USER_WITHOUT_KEY, args![&key]).await?;
            self.lock_user(user_id).await?;
        }
        Ok(())
    }

    /// What the user has decided about all agents.
    pub async fn choices(&mut self, user_id: &UserId) -> Result<Choices> {
        let key = self.user_key(user_id);
        let found = self.find_as(FIND_CHOICES, args![&key]).await?;
        Ok(found.unwrap_or_default())
    }

    /// Sets whether the user is asked before an agent gets access. Lock the user first; there must be a row.
    pub async fn set_asks(&mut self, user_id: &UserId, asks: bool) -> Result<()> {
        let key = self.user_key(user_id);
        let args = args![&key, asks];
        self.run_one(SET_ASKS, args, "users", &key).await
    }

    /// Pauses all access at an instant, or ends the pause. Lock the user first; there must be a row.
    pub async fn set_paused(&mut self, user_id: &UserId, paused_at: Option<i64>) -> Result<()> {
        let key = self.user_key(user_id);
        let args = args![&key, paused_at];
        self.run_one(SET_PAUSED, args, "users", &key).await
    }

    /// Notes that the user has seen which agents got access by themselves. Lock the user first; there
    /// must be a row.
    pub async fn set_access_seen(&mut self, user_id: &UserId, at: i64) -> Result<()> {
        let key = self.user_key(user_id);
        let args = args![&key, at];
        self.run_one(SET_ACCESS_SEEN, args, "users", &key).await
    }
}

from_row! {
    ConsentRequest in "consent_requests":
    agent_id, agent_name, scopes, first_at, last_at, times
}

from_row! { Choices in "users": asks, paused_at, access_seen_at, auto_delete }
