//! OAuth 2.1 for the Model Context Protocol: users let programs in that nobody has set up before, such
//! as assistants on the web. The program gets tokens that are good for one user alone, and an agent
//! stands for it, so that what it may do is what the user grants to that agent, as with any other.
//!
//! A connection lives as long as the grant is not revoked and its tokens are renewed. Whoever presents
//! a code or a refresh token that was used before may have stolen it, or its client was robbed: the
//! connection ends (OAuth 2.1 §4.3.1).

mod client;
mod tokens;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Duration;
use ctxmem_types::{GrantRequest, ScopeSet, UserId};
use secrecy::SecretString;
use uuid::Uuid;

use self::tokens::{Access, Code, Held, Refresh};
use super::agent_profiles::checked_url;
use super::clock::Clock;
use super::grant_clock::GrantClock;
use super::manager::NO_AGENT;
use super::{AskingAgent, Error, Grants, Key, grants, keys, unit};
use crate::store::{Action, Actor, AgentProfile, AuditEvent, Db, GrantRow, NewKey, Tx, hash};

pub use client::{OAuthClient, Redirect};
pub use tokens::is_access_token;

/// For how long a code can be exchanged.
const CODE_SECONDS: i64 = 60;
/// For how long an access token works.
const ACCESS_SECONDS: i64 = 60 * 60;
/// For how long a connection lasts whose tokens nobody renews.
const IDLE: Duration = Duration::days(90);
/// For how long the refresh token before the newest one still works: an answer may have got lost.
const RETRY_MILLIS: i64 = 60 * 1_000;
/// How many agents a user may have let in, at most, before they add one that is new here.
const MOST_AGENTS: usize = 200;
/// How long a PKCE verifier may be (RFC 7636 §4.1).
const VERIFIER_BYTES: std::ops::RangeInclusive<usize> = 43..=128;

/// Programs that users let in.
pub struct OAuth {
    pub(super) db: Db,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) grant_clock: GrantClock,
    pub(super) grants: Arc<Grants>,
}

/// Why a client is refused, in the terms of OAuth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OAuthRefusal {
    /// The error's code, such as `invalid_grant`.
    pub code: &'static str,
    /// What was expected.
    pub description: &'static str,
}

impl OAuthRefusal {
    /// A refusal with this code.
    pub const fn new(code: &'static str, description: &'static str) -> Self {
        Self { code, description }
    }
}

/// New tokens of a connection.
pub struct OAuthTokens {
    /// With this the client calls.
    pub access: SecretString,
    /// With this it gets the next ones, once.
    pub refresh: SecretString,
    /// For how many seconds the access token works.
    pub expires_in: i64,
    /// What the user grants now.
    pub scopes: ScopeSet,
}

/// How a client asked for a user's consent, once all of it was found good.
#[derive(Clone, Debug)]
pub struct OAuthRequest {
    /// The id of the client as it was sent.
    pub client_id: String,
    /// The client.
    pub client: OAuthClient,
    /// Where the user is sent back to as it was sent.
    pub redirect_uri: String,
    /// The same address.
    pub redirect: Redirect,
    /// The PKCE challenge.
    pub challenge: String,
}

impl OAuthRequest {
    /// The id of the agent that stands for the client.
    pub fn agent_id(&self) -> String {
        self.client.agent(&self.redirect).id
    }
}

impl OAuth {
    /// The id of a client, which holds all of it.
    pub fn client_id(&self, client: &OAuthClient) -> Result<SecretString, Error> {
        self.seal(client)
    }

    /// The client with this id; `None` for an id that was not given out here.
    pub fn client(&self, id: &str) -> Option<OAuthClient> {
        self.open(id)
    }

    /// The agent that stands for a client, as this user sees it before deciding. An agent that an
    /// operator has removed is [`Error::NotFound`].
    pub async fn asking_agent(
        &self,
        user_id: &UserId,
        request: &OAuthRequest,
    ) -> Result<AskingAgent, Error> {
        let agent = request.client.agent(&request.redirect);
        let known = unit::read(&self.db, async |tx| tx.agent_created_at(&agent.id).await).await?;
        if known.is_some() {
            return self.grants.asking_agent(user_id, &agent.id).await;
        }
        Ok(AskingAgent {
            id: agent.id,
            name: agent.name,
            developer: request.redirect.host(),
            created_at: None,
            profile: profile(&request.redirect),
            scopes: ScopeSet::ALL,
            request: None,
            grant: None,
        })
    }

    /// Grants the agent of a client what the user has decided, and answers the code for the client. The
    /// agent is added unless it is there: agent, grant and connection are stored together or not at all.
    pub async fn allow(
        &self,
        request: &OAuthRequest,
        decision: GrantRequest,
    ) -> Result<SecretString, Error> {
        self.grants.catch_up_with_clock().await?;
        let (now, grant_now) = (self.clock.millis(), self.grant_clock.now());
        let grant = GrantRow::asked_for(&decision, now)?;
        let held = Held {
            user_id: decision.user_id,
            connection: Uuid::new_v4().to_string(),
        };
        let given = (held.clone(), request.clone(), grant);
        unit::write(&self.db, async move |tx| {
            let (held, asked, grant) = &given;
            let user_id = &held.user_id;
            tx.lock_or_add_user(user_id).await?;
            add_agent(tx, user_id, asked, now).await?;
            let grant = grants::give(tx, user_id, grant.clone(), now, grant_now).await?;
            let (id, agent_id) = (&held.connection, &grant.agent_id);
            tx.insert_oauth_connection(user_id, id, agent_id, now)
                .await?;
            Ok::<_, Error>(())
        })
        .await?;
        let user_key = self.db.user_key(&held.user_id);
        self.grants.waiting.forget(&user_key);
        self.seal(&Code {
            held,
            client_id_hash: short_hash(&request.client_id),
            redirect_uri: request.redirect_uri.clone(),
            challenge: request.challenge.clone(),
            expires_at: now + CODE_SECONDS * 1_000,
        })
    }

    /// Exchanges a code for tokens. `None` unless it is the client's, was not used before, has not expired,
    /// and the verifier is that of its challenge.
    pub async fn redeem(
        &self,
        code: &str,
        client_id: &str,
        redirect_uri: &str,
        verifier: &str,
    ) -> Result<Option<OAuthTokens>, Error> {
        let Some(code) = self.open::<Code>(code) else {
            return Ok(None);
        };
        let is_own = code.client_id_hash == short_hash(client_id)
            && code.redirect_uri == redirect_uri
            && VERIFIER_BYTES.contains(&verifier.len())
            && code.challenge == URL_SAFE_NO_PAD.encode(hash(verifier));
        if !is_own || code.expires_at <= self.clock.millis() {
            return Ok(None);
        }
        self.next_tokens(code.held, 0, client_id).await
    }

    /// Exchanges a refresh token for new tokens. `None` unless it is the client's and the newest of its
    /// connection.
    pub async fn renew(
        &self,
        refresh: &str,
        client_id: &str,
    ) -> Result<Option<OAuthTokens>, Error> {
        let Some(refresh) = self.open::<Refresh>(refresh) else {
            return Ok(None);
        };
        if refresh.client_id_hash != short_hash(client_id) {
            return Ok(None);
        }
        self.next_tokens(refresh.held, refresh.generation, client_id)
            .await
    }

    /// The tokens that follow those of this generation.
    async fn next_tokens(
        &self,
        held: Held,
        generation: i64,
        client_id: &str,
    ) -> Result<Option<OAuthTokens>, Error> {
        let (now, grant_now) = (self.clock.millis(), self.grant_clock.now());
        let given = held.clone();
        let scopes = unit::write(&self.db, async move |tx| {
            let held = &given;
            if !renew(tx, held, generation, now).await? {
                return Ok(None);
            }
            let (user_id, id) = (&held.user_id, &held.connection);
            let key = tx.key_of_oauth_connection(user_id, id).await?;
            let Some(key) = key.filter(|key| key.works_at(grant_now)) else {
                return Ok(None);
            };
            let grant = tx.latest_grant(&key.agent_id, user_id).await?;
            let scopes = grant.and_then(|grant| grant.effective(key.scopes, grant_now));
            Ok::<_, Error>(Some(scopes.unwrap_or_default()))
        })
        .await?;
        let Some(scopes) = scopes else {
            return Ok(None);
        };
        Ok(Some(OAuthTokens {
            access: self.seal(&Access {
                held: held.clone(),
                expires_at: now + ACCESS_SECONDS * 1_000,
            })?,
            refresh: self.seal(&Refresh {
                held,
                client_id_hash: short_hash(client_id),
                generation: generation + 1,
            })?,
            expires_in: ACCESS_SECONDS,
            scopes,
        }))
    }

    /// Who calls by an access token: the agent that stands for the program, for the user who let it in.
    /// Fails with [`Error::InvalidKey`] for a token that was not given out here, has expired, or whose
    /// connection has ended.
    pub async fn authenticate(&self, access: &str) -> Result<(Key, UserId), Error> {
        let access: Access = self.open(access).ok_or(Error::InvalidKey)?;
        if access.expires_at <= self.clock.millis() {
            return Err(Error::InvalidKey);
        }
        let now = self.grant_clock.now();
        let Held {
            user_id,
            connection,
        } = access.held;
        let row = unit::read(&self.db, async |tx| {
            tx.key_of_oauth_connection(&user_id, &connection).await
        });
        let row = row.await?.filter(|row| row.works_at(now));
        let key = self.grants.use_key(row.ok_or(Error::InvalidKey)?, None);
        // The connections of a user to one program share a limit, and no two users do.
        let limited_as = format!(
            "{} {}",
            key.agent_id,
            hex::encode(self.db.user_key(&user_id))
        );
        Ok((key.of_user(&limited_as), user_id))
    }

    /// Ends the connection of a token (RFC 7009). What the user granted stays, and a text that is no token
    /// changes nothing.
    pub async fn end(&self, token: &str) -> Result<(), Error> {
        let held = match self.open::<Refresh>(token) {
            Some(refresh) => Some(refresh.held),
            None => self.open::<Access>(token).map(|access| access.held),
        };
        let Some(held) = held else { return Ok(()) };
        unit::write(&self.db, async move |tx| {
            let held = &held;
            tx.end_oauth_connection(&held.user_id, &held.connection)
                .await
        })
        .await
    }

    /// Deletes connections that are over.
    pub async fn drop_old_connections(&self) -> Result<(), Error> {
        let now = self.clock.millis();
        let renewed_until = now - IDLE.num_milliseconds();
        // Ten times as long as a code lives.
        let begun_until = now - CODE_SECONDS * 10_000;
        unit::write(&self.db, async move |tx| {
            tx.drop_old_oauth_connections(renewed_until, begun_until)
                .await
        })
        .await
    }
}

/// Adds the agent that stands for a client, unless it is there. Nobody is handed its key: it calls by
/// tokens alone. The user is locked.
async fn add_agent(
    tx: &mut Tx,
    user_id: &UserId,
    request: &OAuthRequest,
    now: i64,
) -> Result<(), Error> {
    let agent = request.client.agent(&request.redirect);
    if tx.agent(&agent.id).await?.is_some() {
        return Ok(());
    }
    tx.lock_accounts().await?;
    if tx.agent(&agent.id).await?.is_some() {
        return Ok(());
    }
    if tx.agent_created_at(&agent.id).await?.is_some() {
        return Err(NO_AGENT);
    }
    if tx.grants(user_id).await?.len() >= MOST_AGENTS {
        return Err(TOO_MANY_AGENTS);
    }
    tx.insert_agent_of_host(&agent, &request.redirect.host(), now)
        .await?;
    tx.put_agent_profile(&agent.id, &profile(&request.redirect))
        .await?;
    let key = NewKey {
        id: agent.id.clone(),
        agent_id: agent.id.clone(),
        hash: hash(&keys::secret()),
        prefix: "oauth".to_owned(),
        scopes: ScopeSet::ALL,
        name: None,
        expires_at: None,
    };
    tx.insert_key(&key, now).await?;
    let event = AuditEvent::new(Action::CreateAgent, Actor::User, now);
    tx.audit(None, &event.agent(&agent.id)).await?;
    Ok(())
}

/// Counts a renewal by a token of this generation. One that was used before ends the connection, unless
/// its answer may have got lost.
async fn renew(tx: &mut Tx, held: &Held, generation: i64, now: i64) -> Result<bool, Error> {
    let (user_id, id) = (&held.user_id, &held.connection);
    let since = now - IDLE.num_milliseconds();
    if tx
        .renew_oauth_connection(user_id, id, generation, now, since)
        .await?
    {
        return Ok(true);
    }
    let Some(connection) = tx.oauth_connection(user_id, id).await? else {
        return Ok(false);
    };
    let is_retry = generation > 0
        && connection.generation == generation + 1
        // One of many renewals at once may have begun before the one that came first.
        && (now - connection.renewed_at).abs() < RETRY_MILLIS;
    if !is_retry {
        tx.end_oauth_connection(user_id, id).await?;
    }
    Ok(is_retry)
}

/// What is told of an agent that stands for a client: the page of its host, if it has one.
fn profile(redirect: &Redirect) -> AgentProfile {
    let page = (!redirect.is_local()).then(|| redirect.origin());
    let page = page.and_then(|page| checked_url("url", &page).ok());
    AgentProfile {
        url: page.unwrap_or_default(),
        ..AgentProfile::default()
    }
}

/// Enough of a hash to tell that it is the same client.
fn short_hash(client_id: &str) -> String {
    hex::encode(&hash(client_id)[..16])
}

const TOO_MANY_AGENTS: Error =
    Error::Conflict("Your list of apps is full: no app can be added that is new to this service.");
