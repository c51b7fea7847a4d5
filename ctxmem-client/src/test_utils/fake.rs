//! Fake memory: a scripted service behind HTTP.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ctxmem_types::{InjectRequest, UpdateRequest, UserId};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request};

use super::state::FakeState;
use super::{FakeAnswer, FakeFact, Route};
use crate::{Client, ClientBuilder, lock};

/// A scripted service for the tests of agents, as the [guide](crate::guide::testing) shows.
///
/// It answers every call of the interface in the service's form: an inject with the facts that the
/// test [made known](Self::knows), an update with those that it [learns next](Self::learns_next).
/// [`answer_next`](Self::answer_next) and [`answer_always`](Self::answer_always) script anything
/// else. It takes any key, and a search finds everything that is known.
pub struct FakeMemory {
    server: MockServer,
    state: Arc<Mutex<FakeState>>,
}

impl FakeMemory {
    /// The page where users allow the agent: see [`FakeAnswer::ConsentRequired`].
    pub const CONSENT_URL: &'static str =
        "https://memory.example.com/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";

    /// Starts a service that knows nothing.
    pub async fn start() -> Self {
        // A new address: one from wiremock's pool might still get updates of an earlier test.
        let server = MockServer::builder().start().await;
        let state = Arc::new(Mutex::new(FakeState::default()));
        let (down, closing, all) = (Arc::clone(&state), Arc::clone(&state), Arc::clone(&state));
        Mock::given(move |request: &Request| {
            Route::of(request).is_some_and(|route| lock(&down).is_down(route))
        })
        .respond_with_err(move |request: &Request| {
            if let Some(route) = Route::of(request) {
                lock(&closing).take(route);
            }
            io::Error::from(io::ErrorKind::ConnectionReset)
        })
        .with_priority(1)
        .mount(&server)
        .await;
        Mock::given(any())
            .respond_with(move |request: &Request| lock(&all).respond(request))
            .with_priority(u8::MAX)
            .mount(&server)
            .await;
        Self { server, state }
    }

    /// The server below. Mocks that you mount on it answer before the fake does.
    pub fn server(&self) -> &MockServer {
        &self.server
    }

    /// A client of this service: give it to the agent.
    ///
    /// # Panics
    ///
    /// Panics if the HTTP client can't be made.
    #[expect(clippy::expect_used, reason = "a test without its client fails")]
    pub fn client(&self) -> Client {
        self.builder().build().expect("the settings are valid")
    }

    /// A client of this service with further settings. Injects time out after five seconds, so that
    /// they succeed on a busy machine.
    pub fn builder(&self) -> ClientBuilder {
        Client::builder()
            .base_url(self.server.uri())
            .api_key("ctxm_fake")
            .inject_timeout(Duration::from_secs(5))
    }

    /// Makes facts known about a user, beside those that are.
    pub fn knows(&self, user_id: &UserId, facts: impl IntoIterator<Item = FakeFact>) {
        self.state().learn(user_id, facts);
    }

    /// The next update learns these facts about its user; called again, the one after it does. An
    /// update without facts learns nothing.
    pub fn learns_next(&self, facts: impl IntoIterator<Item = FakeFact>) {
        let facts = facts.into_iter().collect();
        self.state().lessons.push_back(facts);
    }

    /// From now on this text is [`Injected::relevant`](crate::Injected::relevant) where an inject has
    /// a message and something is known about the user.
    pub fn finds_relevant(&self, text: impl Into<String>) {
        self.state().relevant = Some(text.into());
    }

    /// The next call of this endpoint is answered like this; called again, the one after it is.
    pub fn answer_next(&self, route: Route, answer: impl Into<FakeAnswer>) {
        self.state().next.push_back((route, answer.into()));
    }

    /// Every call is answered like this from now on, unless
    /// [`answer_next`](Self::answer_next) says otherwise.
    pub fn answer_always(&self, answer: impl Into<FakeAnswer>) {
        self.state().always = Some(answer.into());
    }

    /// Every call is answered as usual from now on.
    pub fn recover(&self) {
        let mut state = self.state();
        state.next.clear();
        state.always = None;
    }

    /// The injects that were received, in order, whatever they were answered.
    pub fn injects(&self) -> Vec<InjectRequest> {
        self.state().injects.clone()
    }

    /// The updates that were received, in order, whatever they were answered. One that was sent again
    /// with its idempotency key is listed once.
    pub fn updates(&self) -> Vec<UpdateRequest> {
        self.state().updates.clone()
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        lock(&self.state)
    }
}
