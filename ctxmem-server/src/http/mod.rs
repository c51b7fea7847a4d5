//! HTTP: routes in, answers out. Handlers make three moves: find out who calls, read what
//! they sent and call `core`, write the answer.

mod account;
mod assets;
mod attempts;
mod body;
mod call;
mod context;
mod dashboard;
mod error;
mod error_page;
mod exchange;
mod grants;
mod health;
mod inject;
mod metrics;
mod rate_limit;
mod reply;
mod request_id;
mod routes;
mod scopes;
mod server;
mod sign_in;
mod sign_in_links;
mod site;
mod update;
mod when;
mod within;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;

use crate::core::Core;
use crate::oidc::Provider;
use attempts::Attempts;
use rate_limit::RateLimiter;
use sign_in::{SignInAt, SignInSecret};

pub(crate) use metrics::serve as serve_metrics;
pub use routes::{ROUTES, Route};
pub(crate) use server::serve;
pub use site::Site;

/// What a client may take of the server's time and memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest body, in bytes.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How long a head may take to arrive; also how long a connection may idle.
    pub header_time: Duration,
    /// How long a request may take in all.
    pub request_time: Duration,
    /// How many connections may be open at once.
    pub connections: usize,
    /// How long requests under way have at shutdown.
    pub drain_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            body_time: Duration::from_secs(10),
            header_time: Duration::from_secs(15),
            request_time: Duration::from_mins(1),
            connections: 10_000,
            drain_time: Duration::from_secs(30),
        }
    }
}

/// Everything that handlers share.
pub(crate) struct Api {
    core: Arc<Core>,
    limiter: Option<RateLimiter>,
    /// Of developers to sign in, by their addresses.
    developer_attempts: Attempts,
    limits: Limits,
    site: Site,
    sign_in_secret: Option<SignInSecret>,
    oidc: Option<SignInAt>,
}

impl Api {
    /// `rate_limit` is in requests a minute and key; `None` for any number.
    pub(crate) fn new(
        core: Arc<Core>,
        rate_limit: Option<NonZeroU32>,
        limits: Limits,
        site: Site,
    ) -> Self {
        Self {
            core,
            limiter: rate_limit.map(RateLimiter::new),
            developer_attempts: Attempts::new(),
            limits,
            site,
            sign_in_secret: None,
            oidc: None,
        }
    }

    /// Lets whoever knows this secret have sign-in links made.
    #[must_use]
    pub(crate) fn sign_in_secret(mut self, secret: Option<&SecretString>) -> Self {
        self.sign_in_secret = secret.map(SignInSecret::new);
        self
    }

    /// Lets people sign in at this provider.
    #[must_use]
    pub(crate) fn oidc(mut self, provider: Option<Provider>) -> Self {
        self.oidc = provider.map(SignInAt::new);
        self
    }

    /// Forgets what need not be remembered any more.
    pub(crate) fn tidy(&self) {
        if let Some(limiter) = &self.limiter {
            limiter.tidy();
        }
        self.developer_attempts.tidy();
    }
}
