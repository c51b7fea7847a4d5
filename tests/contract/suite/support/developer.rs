//! A developer who uses the dashboard.

use std::ops::Deref;

use ctxmem_server::core::{self, Clock as _};
use ctxmem_server::store::{Db, InvitationRow, StoreError, Usage};
use ctxmem_types::ScopeSet;
use totp_rs::{Builder, Secret};

use super::{Agent, RawRequest, RawResponse, Server, Session, Setup, TestClock, between};

/// The password of every developer who has one.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A developer who is signed in to the dashboard.
pub(crate) struct Developer {
    /// The id of the account.
    pub(crate) id: String,
    /// The id of the person.
    pub(crate) member: String,
    pub(crate) email: String,
    session: Session,
}

impl Deref for Developer {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Developer {
    /// A server, and Ann, a developer.
    pub(crate) async fn start() -> (Server, Self) {
        Self::start_on(Setup::new()).await
    }

    /// The same with a server that is set up in this way.
    pub(crate) async fn start_on(setup: Setup) -> (Server, Self) {
        let server = setup.start().await;
        let ann = Self::new(&server, "ann@example.com").await;
        (server, ann)
    }

    /// A server, an agent that may use everything, and Ann, its developer.
    pub(crate) async fn start_with_agent() -> (Server, Agent, Self) {
        let server = Server::start().await;
        let (agent, ann) = Self::with_agent(&server).await;
        (server, agent, ann)
    }

    /// A new developer.
    pub(crate) async fn new(server: &Server, email: &str) -> Self {
        server.add_developer(email).await;
        Self::existing(server, email).await
    }

    /// Signs in a developer who exists already. Sets their password first.
    pub(crate) async fn existing(server: &Server, email: &str) -> Self {
        server.set_password(email, PASSWORD).await;
        let answer = Self::tries(server, email, PASSWORD).gets(303).await;
        Self::signed_in(server, answer.session_cookie()).await
    }

    /// Posts a form that leads to a page, and returns that page.
    pub(crate) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.form(path, fields).gets(303).await;
        let page = answer.header("location").unwrap();
        let page = page.split('#').next().unwrap();
        let mut cookies = self.cookie.clone();
        if answer.cookie("ctxmem_done").is_some() {
            cookies = format!("{cookies}; {}", answer.cookie_pair("ctxmem_done"));
        }
        self.server.get(page).cookie(&cookies).gets(200).await.body
    }

    /// An agent that may use everything, and its developer.
    pub(crate) async fn with_agent(server: &Server) -> (Agent, Self) {
        let email = "ann@example.com";
        let agent = server.agent_of(email, ScopeSet::ALL).await;
        (agent, Self::existing(server, email).await)
    }

    /// The developer whose session this is.
    async fn signed_in(server: &Server, cookie: String) -> Self {
        let known = known(server, &cookie).await;
        Self {
            id: known.id.as_str().to_owned(),
            member: known.member.as_str().to_owned(),
            email: known.email,
            session: Session {
                server: server.clone(),
                mark: server.sign_in.mark_of_developer(&known.member),
                cookie,
            },
        }
    }

    /// An attempt to sign in.
    pub(crate) fn tries(server: &Server, email: &str, password: &str) -> RawRequest {
        server
            .raw("POST", "/dashboard/sign-in")
            .form(&[("email", email), ("password", password)])
    }

    /// Invites somebody on the page, and answers the secret of the link that it shows.
    pub(crate) async fn invites(&self) -> String {
        let invited = [("label", "Somebody")];
        let answer = self.post("/dashboard/team/invite", &invited).await;
        let page = self.shown_once(&answer).await;
        let link = between(&page.body, "<code id=\"link\">", "<");
        let (page, token) = link.split_once("?token=").unwrap();
        assert!(page.ends_with("/dashboard/join"), "{link}");
        token.to_owned()
    }

    /// The form of somebody who joins by an invitation.
    pub(crate) fn joining(server: &Server, token: &str, email: &str) -> RawRequest {
        server.raw("POST", "/dashboard/join").form(&[
            ("token", token),
            ("name", "A new member"),
            ("email", email),
            ("password", PASSWORD),
            ("repeated", PASSWORD),
        ])
    }

    /// Somebody who joins this developer's team.
    pub(crate) async fn takes_in(&self, email: &str) -> Self {
        let joining = Self::joining(&self.server, &self.invites().await, email);
        let cookie = joining.gets(303).await.cookie_pair("ctxmem_developer");
        let member = Self::signed_in(&self.server, cookie).await;
        assert_eq!(member.id, self.id);
        member
    }

    /// The developer as the server knows them, as long as they are signed in.
    pub(crate) async fn known(&self) -> core::Developer {
        known(&self.server, &self.cookie).await
    }

    /// The invitations to the team that can be used.
    pub(crate) async fn open_invitations(&self) -> Vec<InvitationRow> {
        let team = self.server.console.team(&self.known().await).await;
        team.unwrap().invitations
    }

    /// The page of an agent.
    pub(crate) async fn agent_page(&self, agent_id: &str) -> String {
        self.get(&format!("/dashboard/agents/{agent_id}")).await
    }

    /// Begins to set a second factor up, and answers the app that holds its secret.
    pub(crate) async fn begins_second_factor(&self) -> Authenticator {
        let page = self.submit("/dashboard/settings/code", &[]).await;
        Authenticator {
            secret: between(&page, "add the key <code>", "<").to_owned(),
        }
    }

    /// Creates an agent on the page and returns its id and its key.
    pub(crate) async fn creates(&self, name: &str, scopes: &[&str]) -> (String, String) {
        let mut fields = vec![("name", name)];
        fields.extend(scopes.iter().map(|scope| ("scope", *scope)));
        let answer = self.post("/dashboard/agents", &fields).await;
        let page = self.shown_once(&answer).await;
        let agent_id = between(&page.body, "href=\"/dashboard/agents/", "\"");
        (agent_id.to_owned(), shown_key(&page.body).to_owned())
    }

    /// The page to which a form redirects with a secret that is shown there once.
    pub(crate) async fn shown_once(&self, answer: &RawResponse) -> RawResponse {
        assert_eq!(answer.status, 303, "{}", answer.body);
        let names = ["ctxmem_once", "__Secure-ctxmem_once"];
        let name = names.iter().find(|name| answer.cookie(name).is_some());
        let cookie = format!("{}; {}", self.cookie, answer.cookie_pair(name.unwrap()));
        let page = answer.header("location").unwrap();
        self.server.get(page).cookie(&cookie).send().await
    }
}

/// An app that shows one-time codes.
pub(crate) struct Authenticator {
    pub(crate) secret: String,
}

impl Authenticator {
    /// What it shows at the clock's time.
    pub(crate) fn code(&self, clock: &TestClock) -> String {
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        let now = u64::try_from(clock.now().timestamp()).unwrap();
        totp.generate(now).to_string()
    }
}

/// The developer whose session this cookie is of.
async fn known(server: &Server, cookie: &str) -> core::Developer {
    let (_, session) = cookie.split_once('=').unwrap();
    let console = &server.console;
    console.signed_in_developer(session).await.unwrap()
}

/// The key that a page shows.
pub(crate) fn shown_key(page: &str) -> &str {
    between(page, "<code id=\"key\">", "<")
}

/// The value of the first hidden field of this name.
pub(crate) fn hidden<'p>(page: &'p str, name: &str) -> &'p str {
    let field = format!(r#"<input type="hidden" name="{name}" value=""#);
    between(page, &field, "\"")
}

impl Server {
    /// Adds to the usage of an agent, as if a process had counted it.
    pub(crate) async fn add_usage(&self, agent_id: &str, day: &'static str, usage: Usage) {
        let db = Db::open(&self.store.url()).await.unwrap();
        let agent_id = agent_id.to_owned();
        let added: Result<(), StoreError> = db
            .write(move |tx| {
                let agent_id = agent_id.clone();
                Box::pin(async move { tx.add_usage(&agent_id, day, &usage).await })
            })
            .await;
        added.unwrap();
        db.close().await;
    }
}
