//! A user in front of a browser, played by hand.

use ctxmem_client::UserId;
use ctxmem_server::core::ScopeVersion;
use ctxmem_server::store::{Action, Actor, FactWithProvenance};
use ctxmem_types::Scope;

use crate::suite::support::{Agent, HELLO, RawRequest, RawResponse, Server, Text as _, user};

pub(in crate::suite) struct Browser<'s> {
    pub(in crate::suite) server: &'s Server,
    pub(in crate::suite) user: UserId,
    cookie: String,
}

impl<'s> Browser<'s> {
    pub(in crate::suite) async fn of(server: &'s Server, user: &UserId) -> Self {
        Self {
            server,
            user: user.clone(),
            cookie: server.sign_in(user).await,
        }
    }

    pub(in crate::suite) async fn of_ada(server: &'s Server) -> Self {
        Self::of(server, &user("ada")).await
    }

    /// That of Ada, who has told this agent something.
    pub(in crate::suite) async fn of_ada_with(server: &'s Server, agent: &Agent) -> Self {
        let browser = Self::of_ada(server).await;
        agent.tells(&browser.user, HELLO).await;
        browser
    }

    /// The session.
    pub(in crate::suite) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// The mark of forms that are made for this user.
    pub(in crate::suite) fn mark(&self) -> String {
        self.server.mark(&self.user)
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

    /// A page that there is.
    pub(in crate::suite) async fn get(&self, path: &str) -> String {
        let page = self.request("GET", path).send().await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        page.body
    }

    pub(in crate::suite) fn request(&self, method: &str, path: &str) -> RawRequest {
        self.server.raw(method, path).cookie(&self.cookie)
    }

    pub(in crate::suite) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> RawResponse {
        let request = self.request("POST", path).form(fields);
        request.made_for(&self.mark()).send().await
    }

    /// The same, asking for a page as the answer.
    pub(in crate::suite) async fn post_for_page(
        &self,
        path: &str,
        fields: &[(&str, &str)],
    ) -> RawResponse {
        let request = self.request("POST", path).header("accept", "text/html");
        let answer = request.form(fields).made_for(&self.mark()).send().await;
        answer.assert_html();
        answer
    }

    /// Posts a form, which then leads to a page that says what was done. Answers that page.
    pub(in crate::suite) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.post(path, fields).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let location = answer.header("location").unwrap();
        let page = location.strip_suffix("#done");
        let page = page.unwrap_or_else(|| panic!("{location} does not lead to the notice"));
        let done = answer.cookie_pair("ctxmem_done");
        let cookies = format!("{}; {done}", self.cookie);
        let page = self.server.raw("GET", page).cookie(&cookies);
        let page = page.send().await.body;
        page.assert_has(r#"<p class="done" role="status" id="done" tabindex="-1">"#);
        page
    }

    /// Adds a fact by hand.
    pub(in crate::suite) async fn adds(&self, scope: &str, value: &str) -> String {
        let fields = [("scope", scope), ("value", value)];
        self.submit("/account/facts/add", &fields).await
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
        self.server
            .core()
            .memory
            .facts_with_provenance(&self.user)
            .await
            .unwrap()
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
        let trail = self.server.core().memory.trail(&self.user, 100).await;
        let mut rows = trail.unwrap();
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
