//! A developer who uses the dashboard.

use ctxmem_server::core;
use ctxmem_server::store::{Db, InvitationRow, MemberId, StoreError, Usage};
use ctxmem_types::ScopeSet;

use super::{Agent, RawRequest, RawResponse, Server};

/// The password of every developer who has one.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A developer who is signed in to the dashboard.
pub(crate) struct Developer<'s> {
    pub(crate) server: &'s Server,
    /// The id of the account.
    pub(crate) id: String,
    /// The id of the person.
    pub(crate) member: String,
    pub(crate) email: String,
    pub(crate) cookie: String,
}

impl<'s> Developer<'s> {
    /// A new developer.
    pub(crate) async fn new(server: &'s Server, email: &str) -> Self {
        let created = server.core().console.create_developer(email).await.unwrap();
        Self::sign_in(server, created.id.as_str(), email).await
    }

    /// The developer of an agent that was made by hand.
    pub(crate) async fn existing(server: &'s Server, email: &str) -> Self {
        let agents = server.core().console.agents().await.unwrap();
        let owned = agents.iter().find(|(_, owner, _)| owner == email).unwrap();
        Self::sign_in(server, owned.0.developer_id.as_str(), email).await
    }

    /// An agent that may use everything, and its developer.
    pub(crate) async fn with_agent(server: &'s Server) -> (Agent, Self) {
        let email = "ann@example.com";
        let agent = server.agent_of(email, ScopeSet::ALL).await;
        (agent, Self::existing(server, email).await)
    }

    async fn sign_in(server: &'s Server, id: &str, email: &str) -> Self {
        server.set_password(email, PASSWORD).await;
        let answer = Self::tries(server, email, PASSWORD).send().await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        Self {
            server,
            id: id.to_owned(),
            member: id.to_owned(),
            email: email.to_owned(),
            cookie: answer.session_cookie(),
        }
    }

    /// An attempt to sign in.
    pub(crate) fn tries(server: &Server, email: &str, password: &str) -> RawRequest {
        server
            .raw("POST", "/dashboard/sign-in")
            .form(&[("email", email), ("password", password)])
    }

    /// A request with the session.
    pub(crate) fn request(&self, method: &str, path: &str) -> RawRequest {
        self.server.raw(method, path).cookie(&self.cookie)
    }

    /// The mark of forms that are made for this developer.
    pub(crate) fn mark(&self) -> String {
        let id = MemberId::new(self.member.clone());
        self.server.core().sign_in.mark_of_developer(&id)
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
        let joining = Self::joining(self.server, &self.invites().await, email);
        let answer = joining.send().await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let cookie = answer.cookie_pair("ctxmem_developer");
        let member = Self {
            server: self.server,
            id: self.id.clone(),
            member: String::new(),
            email: email.to_owned(),
            cookie,
        };
        let known = member.known().await;
        assert_eq!(known.id.as_str(), self.id);
        Self {
            member: known.member.as_str().to_owned(),
            ..member
        }
    }

    /// The developer as the server knows them, as long as they are signed in.
    pub(crate) async fn known(&self) -> core::Developer {
        let (_, session) = self.cookie.split_once('=').unwrap();
        let known = self
            .server
            .core()
            .console
            .signed_in_developer(session)
            .await;
        known.unwrap()
    }

    /// The invitations to the team that can be used.
    pub(crate) async fn open_invitations(&self) -> Vec<InvitationRow> {
        let team = self.server.core().console.team(&self.known().await).await;
        team.unwrap().invitations
    }

    /// The body of a page, which must exist.
    pub(crate) async fn page(&self, path: &str) -> String {
        let page = self.request("GET", path).send().await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        page.body
    }

    /// The page of an agent.
    pub(crate) async fn agent_page(&self, agent_id: &str) -> String {
        self.page(&format!("/dashboard/agents/{agent_id}")).await
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> RawResponse {
        let request = self.request("POST", path).form(fields);
        request.made_for(&self.mark()).send().await
    }

    /// The same, asking for a page as the answer.
    pub(crate) async fn post_for_page(&self, path: &str, fields: &[(&str, &str)]) -> RawResponse {
        let request = self.request("POST", path).header("accept", "text/html");
        request.form(fields).made_for(&self.mark()).send().await
    }

    /// Posts a form that redirects to a page, and returns that page.
    pub(crate) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.post(path, fields).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let page = answer.header("location").unwrap();
        let page = page.split('#').next().unwrap();
        let mut cookies = self.cookie.clone();
        if answer.cookie("ctxmem_done").is_some() {
            cookies = format!("{cookies}; {}", answer.cookie_pair("ctxmem_done"));
        }
        let page = self.server.raw("GET", page).cookie(&cookies).send().await;
        assert_eq!(page.status, 200, "{}", page.body);
        page.body
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
        self.server.raw("GET", page).cookie(&cookie).send().await
    }
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

fn between<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    let (_, rest) = page
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before} in {page}"));
    rest.split(after).next().unwrap()
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
