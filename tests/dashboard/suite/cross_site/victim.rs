//! Somebody who is signed in while they visit a page that means them harm: as a user, and as
//! the developer of an agent that knows them.

use std::sync::atomic::{AtomicU32, Ordering};

use ctxmem_client::UserId;
use ctxmem_server::core::{Joining, ScopeVersion};
use ctxmem_server::store::FactWithProvenance;
use ctxmem_types::ScopeSet;
use secrecy::ExposeSecret as _;

use crate::suite::browser::Browser;
use crate::suite::developer::Developer;
use crate::suite::facts;
use crate::suite::support::{Agent, HELLO, Server, user};

pub(super) struct Victim {
    pub(super) user: UserId,
    pub(super) developer: Developer,
    /// Their sessions, as they stand in a header.
    pub(super) cookie: String,
    /// The marks of forms that are made for them: as a user, and as a developer.
    pub(super) marks: [String; 2],
    /// An agent that knows some facts of them.
    pub(super) agent: Agent,
    pub(super) grant_id: String,
    /// One of the facts.
    pub(super) fact: FactWithProvenance,
    /// All facts of its scope, as a form names them.
    pub(super) of_scope: String,
    /// A link by which the attacker would have the victim's browser sign in as themselves.
    pub(super) link_of_attacker: String,
    /// An invitation by which the attacker would have the victim's browser join their team.
    pub(super) invitation_of_attacker: String,
    /// An invitation to the victim's team.
    pub(super) invitation_id: String,
    /// The id of another member of it.
    pub(super) colleague: String,
    /// What would undo a deletion of the fact.
    pub(super) deleted: String,
}

impl Victim {
    /// A new one, of whom nobody knows but one agent.
    pub(super) async fn new(server: &Server) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let attacker = user(&format!("attacker-{number}"));
        let user = user(&format!("victim-{number}"));
        let developer = Developer::new(server, &format!("victim-{number}")).await;
        let agent = server.new_agent("Agent", &developer.email, ScopeSet::ALL);
        let agent = agent.await;
        agent.tells(&user, HELLO).await;
        let (grant_id, _) = server.grant(&user, &agent).await.unwrap();
        let sessions = [server.sign_in(&user).await, developer.session(server).await];
        let (_, session) = sessions[1].split_once('=').unwrap();
        let core = server.core();
        let console = &core.console;
        let account = console.signed_in_developer(session).await.unwrap();
        let invited = console.invite(&account, "").await.unwrap();
        let joining = Joining::Verified {
            email: format!("colleague-{number}@example.com"),
            name: None,
        };
        let joined = console.join_team(invited.expose_secret(), joining, None);
        let session = joined.await.unwrap().unwrap();
        let joined = console.signed_in_developer(session.expose_secret());
        let colleague = joined.await.unwrap().member.as_str().to_owned();
        console.invite(&account, "").await.unwrap();
        let team = console.team(&account).await.unwrap();
        let attacker_email = format!("attacker-{number}@example.com");
        console.create_developer(&attacker_email).await.unwrap();
        let session = console.open_developer_session(&attacker_email, None);
        let session = session.await.unwrap().unwrap();
        let attacking = console.signed_in_developer(session.expose_secret());
        let attacking = attacking.await.unwrap();
        let invitation = console.invite(&attacking, "").await.unwrap();
        let of_developer = core.sign_in.mark_of_developer(&account.member);
        let marks = [server.mark(&user), of_developer];
        let mut facts = facts(server, &user).await;
        let fact = facts.remove(0);
        facts.retain(|other| other.fact.scope == fact.fact.scope);
        let (_, session) = sessions[0].split_once('=').unwrap();
        let gone = std::slice::from_ref(&fact);
        let deleted = core.memory.seal_deleted(session, &user, gone);
        let of_scope = ScopeVersion::of(facts.iter().chain([&fact])).to_text();
        Self {
            fact,
            of_scope,
            deleted: deleted.unwrap(),
            marks,
            cookie: sessions.join("; "),
            invitation_of_attacker: invitation.expose_secret().to_owned(),
            invitation_id: team.invitations[0].id.clone(),
            colleague,
            link_of_attacker: server.link_for(&attacker).await,
            user,
            developer,
            agent,
            grant_id,
        }
    }

    /// The same, who has just signed in in this browser.
    pub(super) async fn new_in(browser: &Browser, server: &Server) -> Self {
        let mut victim = Self::new(server).await;
        browser.sign_in(server, &victim.user).await;
        victim.developer.sign_in(browser).await;
        victim.cookie = browser.cookies().await;
        let sessions = victim.cookie.split("; ");
        let mut sessions = sessions.filter_map(|pair| pair.strip_prefix("ctxmem_session="));
        let gone = std::slice::from_ref(&victim.fact);
        let memory = &server.core().memory;
        let deleted = memory.seal_deleted(sessions.next().unwrap(), &victim.user, gone);
        victim.deleted = deleted.unwrap();
        victim
    }
}
