//! The HTTP interface and the pages. A handler makes three moves: it authenticates the caller,
//! reads the request and calls `core`, and encodes the answer.
//!
//! The order matters: a caller without a valid key gets the same 401 whatever it sends, and learns
//! nothing about the interface.

mod about;
mod account;
mod assets;
mod bidi;
mod body;
mod buckets;
mod client_address;
mod compression;
mod consent;
mod context;
mod cookie;
mod csv;
mod dashboard;
mod error;
mod error_page;
mod facts;
mod finish;
mod flash;
mod form;
mod form_again;
mod form_mark;
mod grants;
mod handler_context;
mod health;
mod home;
mod inject;
mod known_fields;
mod language;
mod lifecycle;
mod lone_surrogates;
mod mcp;
mod memory;
mod metrics;
mod openapi;
mod operator;
mod page_time;
mod rare_warning;
mod rate_limit;
mod reply;
mod request_context;
mod request_id;
mod request_span;
mod routes;
mod scopes;
mod security_txt;
mod sent_ahead;
mod server;
mod sign_in;
mod sign_in_links;
mod sign_in_throttle;
mod site;
mod turned_away;
mod update;
mod words;
mod write_deadline;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;

use ipnet::IpNet;

use crate::core::Core;
use crate::oidc::Provider;
use client_address::TrustedProxies;
use ctxmem_mcp::HttpTransport;
use dashboard::playground_history::PlaygroundHistory;
use memory::BodyMemory;
use metrics::HttpMetrics;
use rate_limit::ReloadableLimit;
use sign_in::{SignInProvider, SignInSecret};
use sign_in_throttle::SignInThrottle;

pub(crate) use metrics::serve as serve_metrics;
pub use openapi::document as openapi_document;
pub use operator::OperatorConfig;
pub use routes::{ROUTES, Route};
pub(crate) use server::serve;
pub use site::Site;

/// How much of the server's time and memory clients may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest body, in bytes. Forms of pages have smaller limits of their own.
    pub max_body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// How long the request head may take to arrive; also how long a connection may idle.
    pub header_timeout: Duration,
    /// How long a client may take for 16 KiB of an answer.
    pub write_timeout: Duration,
    /// How long a request may take in total.
    pub request_timeout: Duration,
    /// How many connections may be open at once.
    pub max_connections: usize,
    /// How many clients beyond that are told so at the same time; others are disconnected.
    pub max_turned_away: usize,
    /// How long requests in progress may continue at shutdown.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body_bytes: 1 << 20,
            body_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_mins(1),
            max_connections: 10_000,
            max_turned_away: 256,
            drain_timeout: Duration::from_secs(30),
        }
    }
}

/// The state that all handlers share.
pub(crate) struct Api {
    core: Arc<Core>,
    limiter: ReloadableLimit,
    /// An erasure writes to two databases and flushes both, so it has a limit of its own.
    erasure_limiter: ReloadableLimit,
    /// What developers tried last in the playground.
    playground_history: PlaygroundHistory,
    /// Limits how often developers may try to sign in, by e-mail address and origin.
    developer_throttle: SignInThrottle,
    limits: Limits,
    body_memory: BodyMemory,
    site: Site,
    operator: OperatorConfig,
    trusted_proxies: TrustedProxies,
    sign_in_secret: Option<SignInSecret>,
    oidc: Option<SignInProvider>,
    /// `None` where the Model Context Protocol is not spoken.
    mcp: Option<HttpTransport>,
    metrics: HttpMetrics,
}

impl Api {
    /// `rate_limit` is in requests per minute and key; `None` means no limit.
    pub(crate) fn new(
        core: Arc<Core>,
        rate_limit: Option<NonZeroU32>,
        limits: Limits,
        site: Site,
    ) -> Self {
        Self {
            core,
            limiter: ReloadableLimit::new(rate_limit),
            erasure_limiter: ReloadableLimit::new(None),
            playground_history: PlaygroundHistory::new(),
            developer_throttle: SignInThrottle::new(),
            limits,
            body_memory: BodyMemory::new(),
            site,
            operator: OperatorConfig::default(),
            trusted_proxies: TrustedProxies::new(Vec::new()),
            sign_in_secret: None,
            oidc: None,
            mcp: None,
            metrics: HttpMetrics::new(limits.max_connections),
        }
    }

    /// Limits erasures, per minute and key.
    #[must_use]
    pub(crate) fn erasure_limit(self, per_minute: Option<NonZeroU32>) -> Self {
        self.erasure_limiter.set(per_minute);
        self
    }

    /// Sets both limits anew, per minute and key, while requests are answered.
    pub(crate) fn set_limits(&self, requests: Option<NonZeroU32>, erasures: Option<NonZeroU32>) {
        self.limiter.set(requests);
        self.erasure_limiter.set(erasures);
    }

    /// Says on the pages who runs this service.
    #[must_use]
    pub(crate) fn operator(mut self, operator: OperatorConfig) -> Self {
        self.operator = operator;
        self
    }

    /// Enables sign-in links for callers that know this secret.
    #[must_use]
    pub(crate) fn sign_in_secret(mut self, secret: Option<&SecretString>) -> Self {
        self.sign_in_secret = secret.map(SignInSecret::new);
        self
    }

    /// Believes these proxies what they say of their clients.
    #[must_use]
    pub(crate) fn trusted_proxies(mut self, trusted: Vec<IpNet>) -> Self {
        self.trusted_proxies = TrustedProxies::new(trusted);
        self
    }

    /// Enables sign-in at this provider.
    #[must_use]
    pub(crate) fn oidc(mut self, provider: Option<Provider>) -> Self {
        self.oidc = provider.map(SignInProvider::new);
        self
    }

    /// Speaks the Model Context Protocol at `/mcp`.
    #[must_use]
    pub(crate) fn mcp(mut self, speaks: bool) -> Self {
        self.mcp = speaks.then(|| HttpTransport::new(self.limits.max_body_bytes));
        self
    }

    /// Removes limiter entries that are back at rest.
    pub(crate) fn evict_idle(&self) {
        for limit in [&self.limiter, &self.erasure_limiter] {
            if let Some(limiter) = limit.get() {
                limiter.evict_idle();
            }
        }
        self.developer_throttle.evict_idle();
        self.playground_history.evict_idle();
        if let Some(oidc) = &self.oidc {
            oidc.evict_idle();
        }
    }
}
