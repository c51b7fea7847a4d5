//! The objects that requests are about, and the world that each cell has for itself.

use std::collections::HashMap;

use ctxmem_client::UserId;
use ctxmem_server::core::{Caller, ScopeVersion, State};
use ctxmem_server::store::GrantRow;
use ctxmem_types::Scope;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::matrix::Row;
use super::principals::{Agents, Credential, ExpiredSession, Named, Principal, Team};
use crate::suite::support::{Server, user};

/// What a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Nothing,
    /// The account of the signed-in user: the request names nothing.
    Account,
    /// A user id. The agent is the caller's own.
    User,
    /// An agent id. The user is the caller's own.
    Agent,
    /// A grant id.
    Grant,
    /// The id of an API key, of the own, the other or no agent.
    Key,
    /// A fact, by its id.
    Fact,
    /// A fact of the own user, by the id that agents know it by.
    Record,
    /// The receipt of an erasure.
    Receipt,
    /// The token of a sign-in link, which is a credential itself: a good one is good in
    /// anyone's hands, and somebody else's is one with which they signed in.
    Link,
    /// The id of a member of the own or the other team.
    Member,
    /// The id of an invitation to the own or the other team.
    Invite,
    /// The secret of an invitation: a good one is good in anyone's hands. Somebody else's was used.
    Ticket,
    // What is asked by MCP, in the name of a user.
    GetContext,
    GetScope,
    Remember,
    ListFacts,
    /// The name that was stored of the user.
    Forget,
    ReadResource,
    GetPrompt,
}

impl Kind {
    /// Whether it is asked by MCP: a user id, as for [`Kind::User`].
    pub(super) fn is_of_mcp(self) -> bool {
        matches!(
            self,
            Self::GetContext
                | Self::GetScope
                | Self::Remember
                | Self::ListFacts
                | Self::Forget
                | Self::ReadResource
                | Self::GetPrompt
        )
    }
}

/// Whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Whose {
    /// A user who granted the caller's agent only, or the user who is signed in.
    Own,
    /// A user who granted another agent only.
    Other,
    /// Nobody's: it never was.
    Absent,
}

/// What the ids of users begin with. They are of one length: answers that repeat one are as
/// long as each other.
const OWN: &str = "ursa";
const OTHER: &str = "otho";
const ABSENT: &str = "none";

/// The name that is remembered of the own user.
const OWN_FACT: &str = "Ursamaja";
/// The name that is remembered of the other user.
const OTHER_FACT: &str = "Othoniel";

/// The goals that the users wrote by hand, each its own slot.
const OWN_GOAL: &str = "ursigoal";
const OTHER_GOAL: &str = "othogoal";
/// As long as the ids of facts are.
const ABSENT_GOAL_ID: &str = "000000000000000000000000";
/// As long as those are by which agents know facts.
const ABSENT_RECORD_ID: &str = "000000000000000000000000-0000000000000000";

/// A user about whom one agent has stored something.
pub(super) struct Party<'a> {
    pub(super) user: UserId,
    pub(super) granted: &'a Named,
    pub(super) grant_id: String,
    fact: &'static str,
    goal: &'static str,
    goal_id: String,
    /// The id by which the agent knows the fact that it stored.
    pub(super) record_id: String,
    /// Which value the goal has, and all goals, as pages name them.
    pub(super) goal_mark: String,
    pub(super) goals: String,
}

/// Something that must not be told to strangers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Canary {
    pub(super) what: &'static str,
    pub(super) text: String,
}

/// One cell of the table, and what its world has from an hour before.
pub(super) struct Place {
    pub(super) number: usize,
    pub(super) row: &'static Row,
    pub(super) principal: Principal,
    old_session: Option<String>,
}

/// The data of one cell: users, grants and links that no other cell has.
pub(super) struct World<'a> {
    pub(super) row: &'static Row,
    pub(super) principal: Principal,
    pub(super) credential: Credential,
    pub(super) own: Party<'a>,
    pub(super) other: Party<'a>,
    /// A user whom no request ever named.
    pub(super) absent_user: UserId,
    /// An id that was never given out.
    pub(super) absent_id: String,
    own_team: &'a Team,
    other_team: &'a Team,
    /// The token of a link, where the row is about links or invitations.
    link: String,
    /// The id of a receipt, where the row is about receipts.
    receipt: String,
}

/// What is stored of a user.
#[derive(Debug, PartialEq)]
pub(super) struct UserState {
    pub(super) grants: Vec<(GrantRow, String, State)>,
    context: Option<Value>,
}

/// What a world's requests could change.
#[derive(Debug, PartialEq)]
pub(super) struct WorldState {
    pub(super) own: UserState,
    pub(super) other: UserState,
    pub(super) absent: UserState,
    signed_in: bool,
    /// The own agent with its keys.
    pub(super) own_agent: AgentState,
    /// The other agent with its keys.
    pub(super) other_agent: AgentState,
    pub(super) own_team: TeamState,
    pub(super) other_team: TeamState,
}

/// The members of a team with their roles, and the ids of its invitations.
pub(super) type TeamState = Vec<String>;

/// What an agent's developer may change: its name, and of each key the id and whether it is
/// revoked. `None` once it is deleted.
pub(super) type AgentState = Option<(String, Vec<(String, bool)>)>;

impl Place {
    pub(super) async fn new(
        server: &Server,
        number: usize,
        row: &'static Row,
        principal: Principal,
    ) -> Self {
        let mut place = Self {
            number,
            row,
            principal,
            old_session: None,
        };
        if principal == ExpiredSession {
            place.old_session = Some(server.sign_in(&place.user(OWN)).await);
        }
        place
    }

    fn user(&self, role: &str) -> UserId {
        user(&format!("{role}-{:05}", self.number))
    }
}

impl<'a> World<'a> {
    pub(super) async fn new(server: &Server, agents: &'a Agents, place: Place) -> Self {
        let (row, principal) = (place.row, place.principal);
        let agents = if principal.is_developer() && row.is_of_the_dashboard() {
            // They last as long as the test.
            Box::leak(Box::new(Agents::of_one_world(server, place.number).await))
        } else {
            agents
        };
        let id = |role| place.user(role);
        let mut own =
            Party::new(server, id(OWN), agents.own(principal), [OWN_FACT, OWN_GOAL]).await;
        let mut other = Party::new(
            server,
            id(OTHER),
            agents.other(principal),
            [OTHER_FACT, OTHER_GOAL],
        )
        .await;
        if matches!(row.kind, Kind::Fact | Kind::Account) {
            own = own.with_goal(server).await;
            other = other.with_goal(server).await;
        }
        if row.template.ends_with("{factId}") || row.kind == Kind::Forget {
            own = own.with_record(server).await;
            other = other.with_record(server).await;
        }
        let link = match (row.kind, row.whose) {
            (Kind::Link, Whose::Own) => server.link_for(&own.user).await,
            (Kind::Link, Whose::Other) => spent_link(server, &other.user).await,
            (Kind::Ticket, Whose::Own) => {
                let invitation = invitation(server, agents.own_team(principal)).await;
                invitation.expose_secret().to_owned()
            }
            (Kind::Ticket, Whose::Other) => {
                let team = agents.other_team(principal);
                let spent = spent_invitation(server, team, place.number).await;
                spent.expose_secret().to_owned()
            }
            _ => "never-given-out".to_owned(),
        };
        let receipt = match (row.kind, row.whose) {
            (Kind::Receipt, Whose::Own) => server.erase(&own.user).await,
            (Kind::Receipt, Whose::Other) => server.erase(&other.user).await,
            _ => String::new(),
        };
        let credential = match &place.old_session {
            Some(session) => Credential::Cookie(session.clone(), server.mark(&own.user)),
            None => agents.credential(server, principal, &own.user).await,
        };
        Self {
            row,
            principal,
            credential,
            own_team: agents.own_team(principal),
            other_team: agents.other_team(principal),
            absent_user: id(ABSENT),
            absent_id: format!("00000000-0000-4000-8000-{:012}", place.number),
            link,
            receipt,
            own,
            other,
        }
    }

    /// The id or token that stands for the row's object in a request.
    pub(super) fn object(&self) -> &str {
        let (own, other) = (&self.own, &self.other);
        match (self.row.kind, self.row.whose) {
            (Kind::Nothing | Kind::Account, _) => "",
            (kind, whose) if kind == Kind::User || kind.is_of_mcp() => match whose {
                Whose::Own => own.user.as_str(),
                Whose::Other => other.user.as_str(),
                Whose::Absent => self.absent_user.as_str(),
            },
            (Kind::Agent, Whose::Own) => &own.granted.agent.id,
            (Kind::Agent, Whose::Other) => &other.granted.agent.id,
            (Kind::Grant, Whose::Own) => &own.grant_id,
            (Kind::Grant, Whose::Other) => &other.grant_id,
            (Kind::Key, Whose::Own) => &own.granted.agent.key_id,
            (Kind::Key, Whose::Other) => &other.granted.agent.key_id,
            (Kind::Member, Whose::Own) => &self.own_team.member,
            (Kind::Member, Whose::Other) => &self.other_team.member,
            (Kind::Invite, Whose::Own) => &self.own_team.invitation,
            (Kind::Invite, Whose::Other) => &self.other_team.invitation,
            (
                Kind::Agent | Kind::Grant | Kind::Key | Kind::Receipt | Kind::Member | Kind::Invite,
                Whose::Absent,
            ) => &self.absent_id,
            (Kind::Fact, Whose::Own) => &own.goal_id,
            (Kind::Fact, Whose::Other) => &other.goal_id,
            (Kind::Fact, Whose::Absent) => ABSENT_GOAL_ID,
            (Kind::Record, Whose::Own) => &own.record_id,
            (Kind::Record, Whose::Other) => &other.record_id,
            (Kind::Record, Whose::Absent) => ABSENT_RECORD_ID,
            (Kind::Receipt, _) => &self.receipt,
            _ => &self.link,
        }
    }

    /// The id of the fact that was stored of the row's user.
    pub(super) fn record_id(&self) -> &str {
        match self.row.whose {
            Whose::Own => &self.own.record_id,
            Whose::Other => &self.other.record_id,
            Whose::Absent => ABSENT_RECORD_ID,
        }
    }

    pub(super) async fn state(&self, server: &Server, listed: &AgentList) -> WorldState {
        let own = &self.own.granted;
        WorldState {
            own: UserState::of(server, &self.own.user, own).await,
            other: UserState::of(server, &self.other.user, self.other.granted).await,
            absent: UserState::of(server, &self.absent_user, own).await,
            signed_in: self.credential.signs_in(server).await,
            own_agent: listed.state(&own.agent.id),
            other_agent: listed.state(&self.other.granted.agent.id),
            own_team: team_state(server, self, self.own_team).await,
            other_team: team_state(server, self, self.other_team).await,
        }
    }
}

impl WorldState {
    pub(super) fn of(&self, whose: Whose) -> &UserState {
        match whose {
            Whose::Own => &self.own,
            Whose::Other => &self.other,
            Whose::Absent => &self.absent,
        }
    }
}

impl UserState {
    async fn of(server: &Server, user: &UserId, reader: &Named) -> Self {
        // A key may be revoked, or its agent deleted, by what was asked for.
        let context = match server.grants.authenticate(&reader.agent.key).await {
            Ok(key) => server.memory.context(&key, user.clone()).await.ok(),
            Err(_) => None,
        };
        Self {
            grants: server.grants_of(user).await,
            context: context.map(|context| serde_json::to_value(context).unwrap()),
        }
    }
}

/// All agents with their keys, which are read once for many worlds.
pub(super) struct AgentList(HashMap<String, (String, Vec<(String, bool)>)>);

impl AgentList {
    pub(super) async fn of(server: &Server) -> Self {
        let agents = server.console.agents().await.unwrap().into_iter();
        let mut list: HashMap<_, _> = agents
            .map(|(agent, ..)| (agent.id, (agent.name, Vec::new())))
            .collect();
        for key in server.grants.keys().await.unwrap() {
            if let Some((_, keys)) = list.get_mut(&key.agent_id) {
                keys.push((key.id, key.revoked_at.is_some()));
            }
        }
        Self(list)
    }

    fn state(&self, id: &str) -> AgentState {
        self.0.get(id).cloned()
    }
}

/// What could have changed of a team. Read where something could change it.
async fn team_state(server: &Server, world: &World<'_>, team: &Team) -> TeamState {
    if !world.principal.is_developer() || !world.row.is_of_the_dashboard() {
        return TeamState::new();
    }
    let team = server.console.team(&team.owner).await.unwrap();
    let members = team.members.iter().map(|member| {
        let member = &member.developer;
        format!("{} {:?}", member.email, member.role)
    });
    let invitations = team.invitations.iter().map(|open| open.id.clone());
    members.chain(invitations).collect()
}

/// The secret of an invitation to a team.
async fn invitation(server: &Server, team: &Team) -> SecretString {
    server.console.invite(&team.owner, "").await.unwrap()
}

/// The secret of an invitation by which somebody joined and left.
async fn spent_invitation(server: &Server, team: &Team, number: usize) -> SecretString {
    let invitation = invitation(server, team).await;
    let email = format!("spent-{number}@example.com");
    let session = server.join_team(&invitation, &email).await.unwrap();
    let joined = server.developer_in(&session.unwrap()).await;
    server.console.leave_team(&joined).await.unwrap();
    invitation
}

/// The token of a link by which this user signed in.
async fn spent_link(server: &Server, user: &UserId) -> String {
    let token = server.link_for(user).await;
    let sign_in = server.raw("POST", "/sign-in").form(&[("token", &token)]);
    assert_eq!(sign_in.send().await.status, 303);
    token
}

impl<'a> Party<'a> {
    async fn new(
        server: &Server,
        user: UserId,
        granted: &'a Named,
        [fact, goal]: [&'static str; 2],
    ) -> Self {
        let message = format!("My name is {fact}.");
        let learned = granted.agent.tells(&user, &message).await;
        assert_eq!(learned["delta"]["general"]["name"]["value"], fact);
        let (grant_id, _) = server.grant(&user, &granted.agent).await.unwrap();
        Self {
            goal,
            goal_id: String::new(),
            record_id: String::new(),
            goal_mark: String::new(),
            goals: String::new(),
            user,
            granted,
            grant_id,
            fact,
        }
    }

    /// With a goal that the user wrote.
    async fn with_goal(mut self, server: &Server) -> Self {
        let (memory, goal) = (&server.memory, self.goal);
        let added = memory.add_fact(self.user.clone(), Scope::Goals, None, goal.to_owned());
        let id = added.await.unwrap();
        let stored = memory.fact_with_provenance(&self.user, &id).await;
        let stored = stored.unwrap();
        self.goals = ScopeVersion::of([&stored].into_iter()).to_text();
        self.goal_mark = stored.mark;
        id.as_str().clone_into(&mut self.goal_id);
        self
    }

    /// With the id by which the agent knows what it stored.
    async fn with_record(mut self, server: &Server) -> Self {
        let caller = Caller::User(self.user.clone());
        let stored = server.memory.fact_records(&caller, self.user.clone());
        let mut stored = stored.await.unwrap().facts.into_iter();
        self.record_id = stored.find(|record| record.value == self.fact).unwrap().id;
        self
    }

    /// Everything that strangers to this user must not learn.
    pub(super) fn canaries(&self) -> Vec<Canary> {
        let canary = |what, text: &str| Canary {
            what,
            text: text.to_owned(),
        };
        vec![
            canary("user id", self.user.as_str()),
            canary("fact", self.fact),
            canary("fact", self.goal),
            canary("grant id", &self.grant_id),
            canary("agent id", &self.granted.agent.id),
            canary("agent name", self.granted.name),
            canary("key id", &self.granted.agent.key_id),
        ]
    }
}
