//! A server in the process, on a database of its own.

use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use ctxmem_client::{Client, UserClient, UserId};
use ctxmem_server::core::{
    AgentProfile, Clock, Core, Developer, Error, FirstGrant, Joining, Manager, PasswordCost, State,
    SystemClock,
};
use ctxmem_server::extract::ModelConfig;
use ctxmem_server::store::{Action, AuditRow, GrantRow};
use ctxmem_server::{Config, ExtractorConfig};
use ctxmem_test_outside::{FakeModel, MODEL_KEY};
use ctxmem_test_server::TestServer;
use ctxmem_types::{Grant, GrantRequest, Scope, ScopeSet};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

use super::database::{ENGINE, Store};
use super::{Agent, OidcProvider, RawRequest, TestClock, first_grant};

/// A user id that keeps the rules.
pub(crate) fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

/// The configuration of a server that is not started yet.
pub(crate) struct Setup {
    config: Config,
    clock: Arc<dyn Clock>,
    /// The address of the listener, unless this is set.
    public_url: Option<Url>,
    /// Made at the start, unless another server left it.
    store: Option<Store>,
    /// Whether users consent to every agent that asks.
    users_consent: bool,
}

impl Setup {
    /// On a database of its own.
    pub(crate) fn new() -> Self {
        // Both addresses are known when it starts.
        let mut config = Config::new("", Url::parse("http://localhost").unwrap());
        config.rate_limit = None;
        config.erasure_limit = None;
        config.settings.first_grant = *first_grant::MODE;
        config.settings.password_cost = PasswordCost::LEAST;
        Self {
            users_consent: config.settings.first_grant != FirstGrant::Auto,
            config,
            clock: Arc::new(SystemClock),
            public_url: None,
            store: None,
        }
    }

    /// On a database of its own, where an agent gets access by its first call, whatever the mode of the
    /// other tests.
    pub(crate) fn auto() -> Self {
        Self::new().first_grant(FirstGrant::Auto)
    }

    /// On a database of its own, asking this model.
    pub(crate) fn asking(model: &FakeModel) -> Self {
        Self::new().model(model, Duration::from_secs(30))
    }

    /// On the database that another server left, or runs on.
    pub(crate) fn on(store: Store) -> Self {
        Self {
            store: Some(store),
            ..Self::new()
        }
    }

    /// Changes the configuration.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// First grants are made in this mode, whatever the mode of the other tests.
    pub(crate) fn first_grant(mut self, mode: FirstGrant) -> Self {
        self.users_consent = false;
        self.with(|config| config.settings.first_grant = mode)
    }

    pub(crate) fn rate_limit(self, a_minute: u32) -> Self {
        self.with(|config| config.rate_limit = NonZeroU32::new(a_minute))
    }

    pub(crate) fn monthly_quota(self, updates: u32) -> Self {
        self.with(|config| config.settings.monthly_quota = NonZeroU32::new(updates))
    }

    /// Lists hold any number of facts: for those who count what was stored.
    pub(crate) fn endless_lists(self) -> Self {
        self.with(|config| config.settings.list_cap = None)
    }

    pub(crate) fn token_budget(self, tokens: usize) -> Self {
        self.with(|config| config.settings.token_budget = tokens)
    }

    /// People can sign in at this provider.
    pub(crate) fn oidc(self, provider: &OidcProvider) -> Self {
        self.with(|config| config.oidc = Some(provider.config()))
    }

    /// Facts are extracted by this model, which may take this long.
    pub(crate) fn model(self, model: &FakeModel, timeout: Duration) -> Self {
        let mut config = ModelConfig::new(model.url().parse().unwrap(), "test-model", timeout);
        config.api_key = Some(MODEL_KEY.into());
        self.with(|setup| setup.extractor = ExtractorConfig::Model(Box::new(config)))
    }

    pub(crate) fn public_url(mut self, url: &str) -> Self {
        self.public_url = Some(Url::parse(url).unwrap());
        self
    }

    pub(crate) fn clock(mut self, clock: &Arc<TestClock>) -> Self {
        self.clock = Arc::clone(clock) as Arc<dyn Clock>;
        self
    }

    /// Starts it with an agent.
    pub(crate) async fn start_with_agent(self) -> (Server, Agent) {
        let server = self.start().await;
        let agent = server.agent().await;
        (server, agent)
    }

    /// Starts it with an agent, and a user of whom nothing is known.
    pub(crate) async fn start_with_ada(self) -> (Server, Agent, UserId) {
        let (server, agent) = self.start_with_agent().await;
        (server, agent, user("ada"))
    }

    /// The same by a clock that stands at this instant.
    pub(crate) async fn start_with_ada_at(
        self,
        instant: &str,
    ) -> (Arc<TestClock>, Server, Agent, UserId) {
        let (clock, server) = self.start_at(instant).await;
        let agent = server.agent().await;
        (clock, server, agent, user("ada"))
    }

    /// Starts it by a clock that stands at this instant.
    pub(crate) async fn start_at(self, instant: &str) -> (Arc<TestClock>, Server) {
        let clock = Arc::new(TestClock::at(instant));
        let server = self.clock(&clock).start().await;
        (clock, server)
    }

    pub(crate) async fn start(self) -> Server {
        let store = match self.store {
            Some(store) => store,
            None => Store::on(*ENGINE).await,
        };
        let mut config = self.config;
        config.database = store.url_of_server().into();
        let configure = |url| {
            config.public_url = self.public_url.unwrap_or(url);
            config
        };
        let running = Arc::new(TestServer::start_with(configure, self.clock).await);
        first_grant::note(&running.url, running.core(), self.users_consent);
        Server {
            url: running.url.clone(),
            running,
            store,
        }
    }
}

/// A running server. It stops with the test.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) url: String,
    running: Arc<TestServer>,
    pub(crate) store: Store,
}

/// The core that it runs, for what no request does.
impl Deref for Server {
    type Target = Core;

    fn deref(&self) -> &Core {
        self.running.core()
    }
}

impl Server {
    /// A server with the defaults, less the rate limit.
    pub(crate) async fn start() -> Self {
        Setup::new().start().await
    }

    /// The same with an agent.
    pub(crate) async fn with_agent() -> (Self, Agent) {
        Setup::new().start_with_agent().await
    }

    /// The same with an agent, and a user of whom nothing is known.
    pub(crate) async fn with_ada() -> (Self, Agent, UserId) {
        Setup::new().start_with_ada().await
    }

    /// The same with another agent, of another developer.
    pub(crate) async fn with_two_agents() -> (Self, Agent, Agent, UserId) {
        let (server, agent, ada) = Self::with_ada().await;
        let other = server.agent().await;
        (server, agent, other, ada)
    }

    /// A server that asks a model.
    pub(crate) async fn with_model() -> (FakeModel, Self) {
        let model = FakeModel::start().await;
        let server = Setup::asking(&model).start().await;
        (model, server)
    }

    /// The same with an agent, and a user of whom nothing is known.
    pub(crate) async fn with_model_and_ada() -> (FakeModel, Self, Agent, UserId) {
        let (model, server) = Self::with_model().await;
        let agent = server.agent().await;
        (model, server, agent, user("ada"))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    /// An agent of a developer of its own, with a key for all scopes.
    pub(crate) async fn agent(&self) -> Agent {
        self.agent_with(ScopeSet::ALL).await
    }

    /// An agent of a developer of its own, with a key for these scopes.
    pub(crate) async fn agent_with(&self, scopes: ScopeSet) -> Agent {
        let developer = format!("{}@example.com", rand_name());
        self.agent_of(&developer, scopes).await
    }

    /// An agent of this name, of a developer of its own.
    pub(crate) async fn agent_named(&self, name: &str) -> Agent {
        let developer = format!("{}@example.com", rand_name());
        self.new_agent(name, &developer, ScopeSet::ALL).await
    }

    /// An agent of this developer.
    pub(crate) async fn agent_of(&self, developer: &str, scopes: ScopeSet) -> Agent {
        self.new_agent("an agent", developer, scopes).await
    }

    /// An agent of this name, of this developer.
    pub(crate) async fn new_agent(&self, name: &str, developer: &str, scopes: ScopeSet) -> Agent {
        let created = self
            .console
            .create_agent(name.into(), Some(developer.into()), scopes)
            .await
            .unwrap();
        Agent::new(
            &self.url,
            created.agent.id,
            created.key.id,
            &created.key.api_key,
        )
    }

    /// Another key of an agent, with these scopes.
    pub(crate) async fn key_of(&self, agent: &Agent, scopes: ScopeSet) -> Agent {
        let key = self
            .grants
            .create_key(Manager::Operator, agent.id.clone(), scopes)
            .await
            .unwrap();
        Agent::new(&self.url, agent.id.clone(), key.id, &key.api_key)
    }

    /// An agent of a server that ran on the same database before, or runs on it.
    pub(crate) fn again(&self, agent: &Agent) -> Agent {
        Agent::new(
            &self.url,
            agent.id.clone(),
            agent.key_id.clone(),
            &agent.key.clone().into(),
        )
    }

    /// How often a user signed in: as often as a session was opened, which doesn't name its user.
    pub(crate) async fn sessions(&self, user: &UserId) -> usize {
        let trail = self.trail(user).await;
        let entries = trail.iter().map(|row| row.event.action);
        entries.filter(|action| *action == Action::SignIn).count()
    }

    /// The whole audit log of a user, the newest first.
    pub(crate) async fn trail(&self, user: &UserId) -> Vec<AuditRow> {
        let trail = self.memory.trail(user, u32::MAX).await;
        trail.unwrap()
    }

    /// Adds a developer who has no password yet.
    pub(crate) async fn add_developer(&self, email: &str) {
        self.console.create_developer(email).await.unwrap();
    }

    /// Sets the password of a developer as an operator does.
    pub(crate) async fn set_password(&self, email: &str, password: &str) {
        let set = self.console.set_password(email, password.into());
        set.await.unwrap();
    }

    /// Adds a developer, and answers who that is.
    pub(crate) async fn new_developer(&self, email: &str) -> Developer {
        self.add_developer(email).await;
        let session = self.console.open_developer_session(email, None).await;
        self.developer_in(&session.unwrap().unwrap()).await
    }

    /// The developer whose session this is.
    pub(crate) async fn developer_in(&self, session: &SecretString) -> Developer {
        let developer = self
            .console
            .signed_in_developer(session.expose_secret())
            .await;
        developer.unwrap()
    }

    /// Joins a team without a password, as by an identity provider. Answers the session, unless the
    /// invitation doesn't work.
    pub(crate) async fn join_team(
        &self,
        invitation: &SecretString,
        email: &str,
    ) -> Result<Option<SecretString>, Error> {
        let joining = Joining::Verified {
            email: email.to_owned(),
            name: None,
        };
        self.console
            .join_team(invitation.expose_secret(), joining, None)
            .await
    }

    /// Saves as an operator what an agent's developer says of it.
    pub(crate) async fn set_profile(&self, agent: &Agent, profile: AgentProfile) {
        let set = self
            .console
            .set_agent_profile(Manager::Operator, &agent.id, profile);
        set.await.unwrap();
    }

    /// Revokes a key as an operator does.
    pub(crate) async fn revoke_key(&self, key_id: &str) {
        let revoked = self.grants.revoke_key(Manager::Operator, key_id.to_owned());
        revoked.await.unwrap();
    }

    /// What operators do on the same database.
    pub(crate) fn core(&self) -> &Arc<Core> {
        self.running.core()
    }

    /// The token of a new sign-in link.
    pub(crate) async fn link_for(&self, user: &UserId) -> String {
        self.running.sign_in_token(user).await
    }

    /// Signs a user in by a link, as a browser would, and answers the session cookie.
    pub(crate) async fn sign_in(&self, user: &UserId) -> String {
        self.running.sign_in(user).await
    }

    /// The mark of forms that are made for a user.
    pub(crate) fn mark(&self, user: &UserId) -> String {
        self.sign_in.user_form_mark(user)
    }

    /// A client with nothing but a user's session.
    pub(crate) fn client_of(&self, session_cookie: &str) -> UserClient {
        super::exact(&self.url).build_user(session_cookie).unwrap()
    }

    /// A client with a key of this agent that names an agent in its requests.
    pub(crate) fn client_naming(&self, agent: &Agent, agent_id: &str) -> Client {
        super::exact(&self.url)
            .api_key(agent.key.clone())
            .agent_id(agent_id)
            .build()
            .unwrap()
    }

    /// The user signs in and grants an agent these scopes.
    pub(crate) async fn user_grants(
        &self,
        user: &UserId,
        agent: &Agent,
        scopes: impl Into<ScopeSet>,
    ) -> Grant {
        let scopes = scopes.into().names();
        self.user_asks(&GrantRequest::new(user.clone(), &agent.id, scopes))
            .await
    }

    /// The user signs in and grants an agent everything.
    pub(crate) async fn user_allows(&self, user: &UserId, agent: &Agent) {
        self.user_grants(user, agent, ScopeSet::ALL).await;
    }

    /// The same until an instant.
    pub(crate) async fn user_allows_until(&self, user: &UserId, agent: &Agent, end: &str) {
        let mut request = GrantRequest::new(user.clone(), &agent.id, Scope::ALL);
        request.expires_at = Some(end.parse().unwrap());
        self.user_asks(&request).await;
    }

    async fn user_asks(&self, request: &GrantRequest) -> Grant {
        let client = self.client_of(&self.sign_in(&request.user_id).await);
        client.create_grant(request).await.unwrap()
    }

    /// The user refuses an agent.
    pub(crate) async fn user_refuses(&self, user: &UserId, agent: &Agent) {
        let refused = self.grants.refuse_agent(user, &agent.id).await;
        refused.unwrap();
    }

    /// The user signs in and revokes the grant of this agent.
    pub(crate) async fn user_revokes(&self, user: &UserId, agent: &Agent) {
        let grant = self.grant(user, agent).await.unwrap();
        let client = self.client_of(&self.sign_in(user).await);
        assert!(client.revoke_grant(&grant.0).await.unwrap().revoked);
    }

    /// The user deletes everything. Answers the id of the receipt.
    pub(crate) async fn erase(&self, user: &UserId) -> String {
        self.memory.erase_own(user.clone()).await.unwrap()
    }

    /// The newest grant of every agent that ever had one from a user, with the agent's name and the grant's state.
    pub(crate) async fn grants_of(&self, user: &UserId) -> Vec<(GrantRow, String, State)> {
        let access = self.grants.access(user).await.unwrap().into_iter();
        let grants = access.map(|now| (now.access.grant, now.access.agent_name, now.state));
        grants.collect()
    }

    /// Id and scopes of the newest grant between them, even a revoked one.
    pub(crate) async fn grant(&self, user: &UserId, agent: &Agent) -> Option<(String, ScopeSet)> {
        let mut grants = self.grants_of(user).await;
        grants.retain(|(grant, ..)| grant.agent_id == agent.id);
        assert!(grants.len() < 2, "more than one current grant");
        grants.pop().map(|(grant, ..)| (grant.id, grant.scopes))
    }

    /// A request built by hand.
    pub(crate) fn raw(&self, method: &str, path: &str) -> RawRequest {
        RawRequest::new(&self.url, method, path)
    }

    /// A `GET` built by hand.
    pub(crate) fn get(&self, path: &str) -> RawRequest {
        self.raw("GET", path)
    }

    /// Stops the server in good order and keeps its database. Whatever holds a clone of it must have been dropped.
    pub(crate) async fn stop(self) -> Store {
        let running = Arc::into_inner(self.running);
        let running = running
            .unwrap_or_else(|| panic!("a browser, developer or program of it is still alive"));
        running.stop().await;
        self.store
    }
}

fn rand_name() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("dev-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
