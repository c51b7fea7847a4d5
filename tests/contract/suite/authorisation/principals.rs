//! The principals: every kind of credential that a request can carry.

use ctxmem_client::UserId;
use ctxmem_server::core::Developer;
use ctxmem_types::ScopeSet;
use secrecy::ExposeSecret as _;

use crate::suite::support::{Agent, RawRequest, Server};

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Principal {
    Nobody,
    MalformedKey,
    /// A key that agent A had.
    RevokedKey,
    KeyOfA,
    /// B is of the same developer as A.
    KeyOfB,
    /// C is of another developer.
    KeyOfC,
    SessionOfU,
    SessionOfV,
    /// U's, last used an hour ago.
    ExpiredSession,
    /// U's, from before signing out.
    EndedSession,
    /// D is the developer of agents A and B.
    DeveloperD,
    /// E is the developer of agent C.
    DeveloperE,
    /// M is in D's team and doesn't own it.
    MemberM,
}

pub(super) use Principal::{
    DeveloperD, DeveloperE, EndedSession, ExpiredSession, KeyOfA, KeyOfB, KeyOfC, MalformedKey,
    MemberM, Nobody, RevokedKey, SessionOfU, SessionOfV,
};

/// In the order of the table's columns.
pub(super) const PRINCIPALS: [Principal; 13] = [
    Nobody,
    MalformedKey,
    RevokedKey,
    KeyOfA,
    KeyOfB,
    KeyOfC,
    SessionOfU,
    SessionOfV,
    ExpiredSession,
    EndedSession,
    DeveloperD,
    DeveloperE,
    MemberM,
];

/// The keys that a request can bring and be known by.
pub(super) const KEYS: &[Principal] = &[KeyOfA, KeyOfB, KeyOfC];
/// The sessions that a request can bring and be known by.
pub(super) const SESSIONS: &[Principal] = &[SessionOfU, SessionOfV];

/// An agent and its name.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) agent: Agent,
}

/// The agents of the table.
pub(super) struct Agents {
    a: Named,
    b: Named,
    c: Named,
    revoked_key: String,
    /// The teams of D and E.
    teams: [Team; 2],
}

/// A team of an owner, M and somebody whom nobody is signed in as.
pub(super) struct Team {
    pub(super) owner: Developer,
    m: Developer,
    /// The third member.
    pub(super) member: String,
    /// An invitation that was not used.
    pub(super) invitation: String,
}

impl Team {
    /// The team of a developer, whose address is this.
    async fn new(server: &Server, owner: &str) -> Self {
        let console = &server.console;
        let owner = server.new_developer(owner).await;
        let joins = async |name: &str| {
            let invitation = console.invite(&owner, "").await.unwrap();
            let email = format!("{name}-{}", owner.email);
            let joined = server.join_team(&invitation, &email).await.unwrap();
            server.developer_in(&joined.unwrap()).await
        };
        let (m, member) = (joins("m").await, joins("n").await);
        console.invite(&owner, "").await.unwrap();
        let open = console.team(&owner).await.unwrap().invitations;
        Self {
            m,
            member: member.member.as_str().to_owned(),
            invitation: open[0].id.clone(),
            owner,
        }
    }
}

impl Agents {
    pub(super) async fn new(server: &Server) -> Self {
        Self::of(
            server,
            ["one@example.com", "two@example.com"].map(ToOwned::to_owned),
        )
        .await
    }

    /// Agents that no other world has, of developers that no other world has: for those who
    /// may change or delete them.
    pub(super) async fn of_one_world(server: &Server, number: usize) -> Self {
        let developers = ["d", "e"].map(|name| format!("{name}-{number:05}@example.com"));
        Self::of(server, developers).await
    }

    async fn of(server: &Server, developers: [String; 2]) -> Self {
        let [one, two] = &developers;
        let teams = [Team::new(server, one).await, Team::new(server, two).await];
        let named = async |name, developer: &str| Named {
            name,
            agent: server.new_agent(name, developer, ScopeSet::ALL).await,
        };
        let a = named("Agent Alpha", one).await;
        let revoked = server.key_of(&a.agent, ScopeSet::ALL).await;
        server.revoke_key(&revoked.key_id).await;
        Self {
            b: named("Agent Beta", one).await,
            c: named("Agent Gamma", two).await,
            revoked_key: revoked.key,
            a,
            teams,
        }
    }

    /// The agent whose key it is, or to which the user of the session has granted access, or that
    /// the developer of the session owns. A principal that is not known counts as what it claims to
    /// be, or as U with agent A.
    pub(super) fn own(&self, principal: Principal) -> &Named {
        match principal {
            KeyOfB | SessionOfV => &self.b,
            KeyOfC | DeveloperE => &self.c,
            _ => &self.a,
        }
    }

    /// The only agent to which somebody else granted.
    pub(super) fn other(&self, principal: Principal) -> &Named {
        match principal {
            KeyOfB | KeyOfC | SessionOfV | DeveloperE => &self.a,
            // B would be D's own.
            DeveloperD | MemberM => &self.c,
            _ => &self.b,
        }
    }

    /// The team of this developer; for a principal that is none, that of D.
    pub(super) fn own_team(&self, principal: Principal) -> &Team {
        &self.teams[usize::from(principal == DeveloperE)]
    }

    /// The other team.
    pub(super) fn other_team(&self, principal: Principal) -> &Team {
        &self.teams[usize::from(principal != DeveloperE)]
    }

    /// The credential of this principal, whose own user is this one.
    pub(super) async fn credential(
        &self,
        server: &Server,
        principal: Principal,
        user: &UserId,
    ) -> Credential {
        match principal {
            Nobody => Credential::None,
            MalformedKey => Credential::Key("ctxm_not-a-key".to_owned()),
            RevokedKey => Credential::Key(self.revoked_key.clone()),
            KeyOfA | KeyOfB | KeyOfC => Credential::Key(self.own(principal).agent.key.clone()),
            // An expired session is one now; what makes it one is time.
            SessionOfU | SessionOfV | ExpiredSession => {
                Credential::Cookie(server.sign_in(user).await, server.mark(user))
            }
            EndedSession => {
                let cookie = server.sign_in(user).await;
                let sign_out = server.raw("POST", "/sign-out").cookie(&cookie);
                let sign_out = sign_out.made_for(&server.mark(user));
                assert_eq!(sign_out.send().await.status, 303);
                Credential::Cookie(cookie, server.mark(user))
            }
            DeveloperD | DeveloperE | MemberM => {
                let team = self.own_team(principal);
                let who = if principal == MemberM {
                    &team.m
                } else {
                    &team.owner
                };
                let core = server.core();
                let session = core.console.open_developer_session(&who.email, None).await;
                let session = session.unwrap().unwrap();
                let session = session.expose_secret();
                let mark = core.sign_in.mark_of_developer(&who.member);
                Credential::Cookie(format!("ctxmem_developer={session}"), mark)
            }
        }
    }
}

/// The credential of a request.
pub(super) enum Credential {
    None,
    Key(String),
    /// A session, and the mark of forms that are made for whose it is.
    Cookie(String, String),
}

impl Principal {
    pub(super) fn is_developer(self) -> bool {
        matches!(self, DeveloperD | DeveloperE | MemberM)
    }
}

impl Credential {
    pub(super) fn on(&self, request: RawRequest) -> RawRequest {
        match self {
            Self::None => request,
            Self::Key(key) => request.key(key),
            Self::Cookie(cookie, _) => request.cookie(cookie),
        }
    }

    /// The form of a page as it is made for this principal.
    pub(super) fn mark(&self, request: RawRequest) -> RawRequest {
        match self {
            Self::Cookie(_, mark) => request.made_for(mark),
            _ => request,
        }
    }

    /// Whether it is a session that is good now.
    pub(super) async fn signs_in(&self, server: &Server) -> bool {
        let Self::Cookie(cookie, _) = self else {
            return false;
        };
        match cookie.split_once('=').unwrap() {
            ("ctxmem_developer", session) => {
                server.console.signed_in_developer(session).await.is_ok()
            }
            (_, session) => server.sign_in.signed_in(session).await.is_ok(),
        }
    }
}
