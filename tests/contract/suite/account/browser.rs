//! A user in front of a browser, played by hand.

use std::ops::Deref;

use ctxmem_client::UserId;
use ctxmem_server::core::ScopeVersion;
use ctxmem_server::store::{Action, Actor, FactWithProvenance};
use ctxmem_types::Scope;
use serde_json::Value;

use crate::suite::support::{Agent, HELLO, RawResponse, Server, Session, Setup, Text as _, user};

pub(in crate::suite) struct Browser {
    pub(in crate::suite) user: UserId,
    session: Session,
}

impl Deref for Browser {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Browser {
    pub(in crate::suite) async fn of(server: &Server, user: &UserId) -> Self {
        Self {
            user: user.clone(),
            session: Session {
                server: server.clone(),
                cookie: server.sign_in(user).await,
                mark: server.mark(user),
            },
        }
    }

    pub(in crate::suite) async fn of_ada(server: &Server) -> Self {
        Self::of(server, &user("ada")).await
    }

    /// That of Ada, who has told this agent something.
    pub(in crate::suite) async fn of_ada_with(server: &Server, agent: &Agent) -> Self {
        let browser = Self::of_ada(server).await;
        agent.tells(&browser.user, HELLO).await;
        browser
    }

    /// A server, and that of Ada.
    pub(in crate::suite) async fn start() -> (Server, Self) {
        Self::start_on(Setup::new()).await
    }

    /// The same with a server that is set up in this way.
    pub(in crate::suite) async fn start_on(setup: Setup) -> (Server, Self) {
        let server = setup.start().await;
        let browser = Self::of_ada(&server).await;
        (server, browser)
    }

    /// A server, an agent, and that of Ada, who has told the agent something.
    pub(in crate::suite) async fn start_with_agent() -> (Server, Agent, Self) {
        let (server, agent) = Server::with_agent().await;
        let browser = Self::of_ada_with(&server, &agent).await;
        (server, agent, browser)
    }

    /// The overview.
    pub(in crate::suite) async fn page(&self) -> String {
        self.get("/account").await
    }

    /// The page of facts.
    pub(in crate::suite) async fn memory(&self) -> String {
        self.get("/account/facts").await
    }

    /// The page of agents.
    pub(in crate::suite) async fn apps(&self) -> String {
        self.get("/account/apps").await
    }

    /// The page of downloads, deletion and sessions.
    pub(in crate::suite) async fn data(&self) -> String {
        self.get("/account/data").await
    }

    /// Posts a form, which then leads to a page that says what was done. Answers that page.
    pub(in crate::suite) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.form(path, fields).gets(303).await;
        let location = answer.header("location").unwrap();
        let page = location.strip_suffix("#done");
        let page = page.unwrap_or_else(|| panic!("{location} does not lead to the notice"));
        let cookies = format!("{}; {}", self.cookie, answer.cookie_pair("ctxmem_done"));
        let page = self.server.get(page).cookie(&cookies).send().await.body;
        page.assert_has(r#"<p class="done" role="status" id="done" tabindex="-1">"#);
        page
    }

    /// Adds a fact by hand.
    pub(in crate::suite) async fn adds(&self, scope: &str, value: &str) -> String {
        let fields = [("scope", scope), ("value", value)];
        self.submit("/account/facts/add", &fields).await
    }

    /// Adds so many facts by hand, `Tool number 0` and so on.
    pub(in crate::suite) async fn adds_tools(&self, count: usize) {
        for n in 0..count {
            let value = format!("Tool number {n}");
            let fields = [("scope", "knowledge"), ("value", &*value)];
            self.form("/account/facts/add", &fields).gets(303).await;
        }
    }

    /// What the user downloads.
    pub(in crate::suite) async fn export(&self) -> Value {
        let export = self.get("/account/export.json").await;
        serde_json::from_str(&export).unwrap()
    }

    /// Corrects the fact with this value.
    pub(in crate::suite) async fn corrects(&self, old: &str, new: &str) -> String {
        let fields = self.fields_of(old).await;
        let fields = with(&fields[1..], &[("value", new)]);
        self.submit("/account/facts/correct", &fields).await
    }

    /// Deletes the fact with this value.
    pub(in crate::suite) async fn deletes(&self, value: &str) -> String {
        let fields = self.fields_of(value).await;
        let fields = with(&fields[1..], &[("confirm", "yes")]);
        self.submit("/account/facts/delete", &fields).await
    }

    /// Deletes everything.
    pub(in crate::suite) async fn erases(&self) -> RawResponse {
        let confirmed = [("confirm", "erase")];
        self.post("/account/erase", &confirmed).await
    }

    /// Everything that is remembered of the user, as the forms know it.
    pub(in crate::suite) async fn facts(&self) -> Vec<FactWithProvenance> {
        let memory = &self.server.memory;
        memory.facts_with_provenance(&self.user).await.unwrap()
    }

    /// What is remembered, as text: `scope/name: value`.
    pub(in crate::suite) async fn told(&self) -> Vec<String> {
        let facts = self.facts().await;
        let texts = facts.into_iter().map(|kept| {
            let name = kept.fact.name.map(|name| format!("{name}: "));
            let name = name.unwrap_or_default();
            format!("{}/{name}{}", kept.fact.scope, kept.fact.value)
        });
        texts.collect()
    }

    /// Whether this is remembered.
    pub(in crate::suite) async fn is_told(&self, fact: &str) -> bool {
        self.told().await.iter().any(|told| told == fact)
    }

    /// The fields that name the fact with this value, as the user sees it now.
    pub(in crate::suite) async fn fields_of(&self, value: &str) -> [(&'static str, String); 3] {
        let facts = self.facts().await;
        let kept = facts.iter().find(|kept| kept.fact.value == value).unwrap();
        [
            ("scope", kept.fact.scope.name().to_owned()),
            ("fact", version(kept)),
            ("seen", seen(&facts, kept.fact.scope)),
        ]
    }

    /// What the history says that the user did, signed in, the newest first: action and number
    /// of facts.
    pub(in crate::suite) async fn deeds(&self) -> Vec<(&'static str, i64)> {
        let mut rows = self.server.trail(&self.user).await;
        rows.retain(|row| row.event.actor == Actor::User && row.event.action != Action::SignIn);
        rows.iter()
            .map(|row| (row.event.action.as_str(), row.event.facts))
            .collect()
    }
}

/// A fact and its version, as pages name them.
pub(in crate::suite) fn version(kept: &FactWithProvenance) -> String {
    kept.version().to_text()
}

/// All facts of a scope, as the page names them.
pub(in crate::suite) fn seen(facts: &[FactWithProvenance], scope: Scope) -> String {
    let facts = facts.iter().filter(|kept| kept.fact.scope == scope);
    ScopeVersion::of(facts).to_text()
}

/// Fields as a form sends them, with some more.
pub(in crate::suite) fn with<'f>(
    fields: &'f [(&'static str, String)],
    more: &[(&'f str, &'f str)],
) -> Vec<(&'f str, &'f str)> {
    let fields = fields.iter().map(|(name, value)| (*name, value.as_str()));
    fields.chain(more.iter().copied()).collect()
}
