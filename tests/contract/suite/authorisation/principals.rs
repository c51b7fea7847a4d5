//! Who asks: every kind of credential that a request can bring.

use ctxmem_client::UserId;
use ctxmem_server::core::Manager;
use ctxmem_types::ScopeSet;

use crate::suite::support::{Agent, Raw, Server};

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
}

pub(super) use Principal::{
    EndedSession, ExpiredSession, KeyOfA, KeyOfB, KeyOfC, MalformedKey, Nobody, RevokedKey,
    SessionOfU, SessionOfV,
};

/// In the order of the table's columns.
pub(super) const PRINCIPALS: [Principal; 10] = [
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
}

impl Agents {
    pub(super) async fn new(server: &Server) -> Self {
        let named = async |name, developer| Named {
            name,
            agent: server.new_agent(name, developer, ScopeSet::ALL).await,
        };
        let a = named("Agent Alpha", "one@example.com").await;
        let revoked = server.key_of(&a.agent, ScopeSet::ALL).await;
        server
            .core()
            .revoke_key(Manager::Operator, revoked.key_id)
            .await
            .unwrap();
        Self {
            a,
            b: named("Agent Beta", "one@example.com").await,
            c: named("Agent Gamma", "two@example.com").await,
            revoked_key: revoked.key,
        }
    }

    /// The agent whose key it is, or to which the user granted whose session it is. Who is
    /// not known counts as what they claim to be, or as U with agent A.
    pub(super) fn own(&self, principal: Principal) -> &Named {
        match principal {
            KeyOfB | SessionOfV => &self.b,
            KeyOfC => &self.c,
            _ => &self.a,
        }
    }

    /// The only agent to which somebody else granted.
    pub(super) fn other(&self, principal: Principal) -> &Named {
        match principal {
            KeyOfB | KeyOfC | SessionOfV => &self.a,
            _ => &self.b,
        }
    }

    /// What this principal brings, whose own user is this one.
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
                Credential::Cookie(server.sign_in(user).await)
            }
            EndedSession => {
                let cookie = server.sign_in(user).await;
                let sign_out = server.raw("POST", "/sign-out").cookie(&cookie);
                assert_eq!(sign_out.send().await.status, 303);
                Credential::Cookie(cookie)
            }
        }
    }
}

/// What a request brings.
pub(super) enum Credential {
    None,
    Key(String),
    Cookie(String),
}

impl Credential {
    pub(super) fn on(&self, request: Raw) -> Raw {
        match self {
            Self::None => request,
            Self::Key(key) => request.key(key),
            Self::Cookie(cookie) => request.cookie(cookie),
        }
    }

    /// Whether it is a session that is good now.
    pub(super) async fn signs_in(&self, server: &Server) -> bool {
        let Self::Cookie(cookie) = self else {
            return false;
        };
        let (_, session) = cookie.split_once('=').unwrap();
        server.core().signed_in(session).await.is_ok()
    }
}
