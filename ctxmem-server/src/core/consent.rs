//! Consent: a user's decisions about agents that wait, and about all agents at once.

use ctxmem_types::{ScopeSet, UserId};
use uuid::Uuid;

use super::manager::NO_AGENT;
use super::{Error, Grants, State, unit};
use crate::store::{
    Action, Actor, Agent, AgentProfile, AuditEvent, Choices, ConsentRequest, GrantRow, GrantedBy,
    Tx,
};

/// An agent that a user decides about.
pub struct AskingAgent {
    /// The agent's id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The address of its developer.
    pub developer: String,
    /// When its developer created it, in milliseconds since 1970; `None` for a program that nobody has
    /// let in before.
    pub created_at: Option<i64>,
    /// What the developer tells of it.
    pub profile: AgentProfile,
    /// What it may be allowed: what its keys allow, and where it waits, only what it asked for.
    pub scopes: ScopeSet,
    /// Its request, where it waits.
    pub request: Option<ConsentRequest>,
    /// Its newest grant, in whatever state.
    pub grant: Option<(GrantRow, State)>,
}

impl Grants {
    /// The agents that wait for this user, the first one first.
    pub async fn consent_requests(&self, user_id: &UserId) -> Result<Vec<ConsentRequest>, Error> {
        unit::read(&self.db, async |tx| tx.consent_requests(user_id).await).await
    }

    /// An agent as this user sees it before deciding.
    pub async fn asking_agent(
        &self,
        user_id: &UserId,
        agent_id: &str,
    ) -> Result<AskingAgent, Error> {
        let now = self.grant_clock.now();
        unit::read(&self.db, async |tx| {
            let agent = known_agent(tx, agent_id).await?;
            let developer = tx.contact(&agent.developer_id).await?;
            let keys = tx.live_keys(agent_id, now).await?;
            let reach: ScopeSet = keys.iter().flat_map(|(_, scopes)| scopes.iter()).collect();
            let grant = tx.latest_grant(agent_id, user_id).await?;
            let request = tx.consent_requests(user_id).await?;
            let mut request = request.into_iter();
            let request = request.find(|request| request.agent_id == agent_id);
            Ok::<_, Error>(AskingAgent {
                developer: developer.unwrap_or_default(),
                created_at: tx.agent_created_at(agent_id).await?,
                profile: tx.agent_profile(agent_id).await?,
                scopes: request
                    .as_ref()
                    .map_or(reach, |request| request.scopes.intersection(reach)),
                request,
                grant: grant.map(|grant| {
                    let state = grant.state(now);
                    (grant, state)
                }),
                id: agent.id,
                name: agent.name,
            })
        })
        .await
    }

    /// What the agent with this id is called; `None` where there is none.
    pub async fn agent_name(&self, agent_id: &str) -> Result<Option<String>, Error> {
        let found = unit::read(&self.db, async |tx| known_agent(tx, agent_id).await);
        match found.await {
            Ok(agent) => Ok(Some(agent.name)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Refuses an agent: it is not asked about again, and no call of it makes a grant. What it had
    /// ends. The user can still allow it.
    pub async fn refuse_agent(&self, user_id: &UserId, agent_id: &str) -> Result<(), Error> {
        let (now, grant_now) = (self.clock.millis(), self.grant_clock.now());
        // A grant of nothing that has ended: whoever reads grants, in this version or an older one,
        // gives the agent nothing and makes no other.
        let refusal = GrantRow::new(agent_id, ScopeSet::EMPTY, GrantedBy::User, now);
        let given = (user_id.clone(), refusal);
        unit::write(&self.db, async move |tx| {
            let (user_id, refusal) = &given;
            known_agent(tx, &refusal.agent_id).await?;
            tx.lock_or_note_user(user_id).await?;
            tx.drop_consent_request(&refusal.agent_id, user_id).await?;
            let newest = tx.latest_grant(&refusal.agent_id, user_id).await?;
            let action = match newest {
                None => {
                    tx.put_grant(user_id, refusal).await?;
                    tx.revoke_grant(user_id, &refusal.id, now).await?;
                    Action::Refuse
                }
                Some(grant) => {
                    if grant.revoked_at.is_none() {
                        tx.revoke_grant(user_id, &grant.id, now).await?;
                    }
                    match grant.state(grant_now) {
                        State::Active => Action::Revoke,
                        State::Expired | State::Revoked => return Ok(()),
                    }
                }
            };
            let event = AuditEvent::new(action, Actor::User, now);
            tx.audit(Some(user_id), &event.agent(&refusal.agent_id))
                .await?;
            Ok::<_, Error>(())
        })
        .await?;
        self.waiting.forget(&self.db.user_key(user_id));
        Ok(())
    }

    /// What the user has decided about all agents.
    pub async fn choices(&self, user_id: &UserId) -> Result<Choices, Error> {
        unit::read(&self.db, async |tx| tx.choices(user_id).await).await
    }

    /// Sets whether the user is asked before a new agent gets access, whatever the server's mode.
    pub async fn ask_first(&self, user_id: &UserId, asks: bool) -> Result<(), Error> {
        self.choose(user_id, Choice::AskFirst(asks)).await
    }

    /// Pauses all access, or ends the pause. While it lasts no agent is told anything, and nothing
    /// is stored. Grants stay as they are.
    pub async fn pause(&self, user_id: &UserId, pause: bool) -> Result<(), Error> {
        self.choose(user_id, Choice::Pause(pause)).await
    }

    /// Changes what the user has decided about all agents. What was decided before changes nothing.
    async fn choose(&self, user_id: &UserId, choice: Choice) -> Result<(), Error> {
        let now = self.clock.millis();
        let given = user_id.clone();
        unit::write(&self.db, async move |tx| {
            let user_id = &given;
            tx.lock_or_note_user(user_id).await?;
            let before = tx.choices(user_id).await?;
            match choice {
                Choice::AskFirst(asks) if asks == before.asks => return Ok(()),
                Choice::Pause(pause) if pause == before.paused_at.is_some() => return Ok(()),
                Choice::AskFirst(asks) => tx.set_asks(user_id, asks).await?,
                Choice::Pause(pause) => tx.set_paused(user_id, pause.then_some(now)).await?,
            }
            let action = match choice {
                Choice::AskFirst(true) => Action::AskFirst,
                Choice::AskFirst(false) => Action::AskByMode,
                Choice::Pause(true) => Action::Pause,
                Choice::Pause(false) => Action::Resume,
            };
            let event = AuditEvent::new(action, Actor::User, now);
            tx.audit(Some(user_id), &event).await?;
            Ok::<_, Error>(())
        })
        .await?;
        self.waiting.forget(&self.db.user_key(user_id));
        Ok(())
    }

    /// Notes that the user has seen which agents got access by themselves.
    pub async fn see_access(&self, user_id: &UserId) -> Result<(), Error> {
        let now = self.clock.millis();
        let given = user_id.clone();
        unit::write(&self.db, async move |tx| {
            let user_id = &given;
            tx.lock_or_note_user(user_id).await?;
            tx.set_access_seen(user_id, now).await
        })
        .await
    }
}

/// What a user decides about all agents.
#[derive(Clone, Copy)]
enum Choice {
    /// Whether new agents must ask.
    AskFirst(bool),
    /// Whether everything is paused.
    Pause(bool),
}

/// An agent that is there. A text that is no UUID can't be the id of one.
async fn known_agent(tx: &mut Tx, agent_id: &str) -> Result<Agent, Error> {
    if Uuid::parse_str(agent_id).is_err() {
        return Err(NO_AGENT);
    }
    tx.agent(agent_id).await?.ok_or(NO_AGENT)
}
