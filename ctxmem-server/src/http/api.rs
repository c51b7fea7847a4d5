//! The state that all handlers share.

use std::num::NonZeroU32;
use std::sync::Arc;

use ctxmem_mcp::HttpTransport;
use ipnet::IpNet;
use secrecy::SecretString;

use super::client_address::TrustedProxies;
use super::limits::Limits;
use super::memory::BodyMemory;
use super::metrics::HttpMetrics;
use super::operator::OperatorConfig;
use super::playground_history::PlaygroundHistory;
use super::rate_limit::ReloadableLimit;
use super::route::Route;
use super::sign_in_provider::SignInProvider;
use super::sign_in_secret::SignInSecret;
use super::sign_in_throttle::SignInThrottle;
use super::site::Site;
use crate::core::Core;
use crate::oidc::Provider;

/// Where the Model Context Protocol is spoken.
pub(super) const MCP_PATH: &str = "/mcp";

/// The state that all handlers share.
pub(crate) struct Api {
    pub(super) core: Arc<Core>,
    /// Every route of the server.
    pub(super) routes: &'static [Route],
    pub(super) limiter: ReloadableLimit,
    /// An erasure writes to two databases and flushes both, so it has a limit of its own.
    pub(super) erasure_limiter: ReloadableLimit,
    /// What developers tried last in the playground.
    pub(super) playground_history: PlaygroundHistory,
    /// Limits how often developers may try to sign in, by e-mail address and origin.
    pub(super) developer_throttle: SignInThrottle,
    pub(super) limits: Limits,
    pub(super) body_memory: BodyMemory,
    pub(super) site: Site,
    pub(super) operator: OperatorConfig,
    pub(super) trusted_proxies: TrustedProxies,
    pub(super) sign_in_secret: Option<SignInSecret>,
    pub(super) oidc: Option<SignInProvider>,
    /// `None` where the Model Context Protocol is not spoken.
    pub(super) mcp: Option<HttpTransport>,
    pub(super) metrics: HttpMetrics,
}

impl Api {
    /// `rate_limit` is in requests per minute and key; `None` means no limit.
    pub(crate) fn new(
        core: Arc<Core>,
        routes: &'static [Route],
        rate_limit: Option<NonZeroU32>,
        limits: Limits,
        site: Site,
    ) -> Self {
        let names = routes
            .iter()
            .map(|route| (route.method(), route.template()));
        Self {
            core,
            routes,
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
            metrics: HttpMetrics::new(names, limits.max_connections),
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

    /// Speaks the Model Context Protocol at [`MCP_PATH`].
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
