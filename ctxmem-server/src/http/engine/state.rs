//! The state that all handlers share.

use std::num::NonZeroU32;
use std::sync::Arc;

#[cfg(feature = "mcp")]
use ctxmem_mcp::HttpTransport;
use ipnet::IpNet;
use secrecy::SecretString;

use super::body_budget::BodyBudget;
use super::client_address::TrustedProxies;
use super::limits::Limits;
use super::metrics::HttpMetrics;
use super::operator::OperatorConfig;
use super::page_hooks::PageHooks;
use super::playground_history::PlaygroundHistory;
use super::rate_limit::ReloadableLimit;
use super::route::Route;
use super::sign_in_provider::SignInProvider;
use super::sign_in_secret::SignInSecret;
use super::sign_in_throttle::SignInThrottle;
use super::site::Site;
use crate::core::Core;
use crate::oidc::Provider;

/// The Model Context Protocol, which this build does not speak.
#[cfg(not(feature = "mcp"))]
pub(crate) enum HttpTransport {}

/// Where the Model Context Protocol is spoken.
const MCP_PATH: &str = "/mcp";

/// Whether the Model Context Protocol is spoken at a path: "/mcp" and what is below it.
pub(crate) fn is_of_mcp(path: &str) -> bool {
    let rest = path.strip_prefix(MCP_PATH);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether programs alone ask for what is at a path. Their answers hold no page, set no cookie and are not
/// compressed: see `compression`.
pub(crate) fn is_for_programs(path: &str) -> bool {
    let of_oauth = ["/oauth/register", "/oauth/token", "/oauth/revoke"];
    path.starts_with("/api/") || is_of_mcp(path) || of_oauth.contains(&path)
}

/// The state that all handlers share.
pub(crate) struct ServerState {
    pub(crate) core: Arc<Core>,
    /// Every route of the server.
    pub(crate) routes: &'static [Route],
    /// What the pages add to answers.
    pub(crate) pages: &'static dyn PageHooks,
    pub(crate) limiter: ReloadableLimit,
    /// An erasure writes to two databases and flushes both, so it has a limit of its own.
    pub(crate) erasure_limiter: ReloadableLimit,
    /// What developers tried last in the playground.
    pub(crate) playground_history: PlaygroundHistory,
    /// Limits how often developers may try to sign in, by e-mail address and origin.
    pub(crate) developer_throttle: SignInThrottle,
    pub(crate) limits: Limits,
    pub(crate) body_budget: BodyBudget,
    pub(crate) site: Site,
    pub(crate) operator: OperatorConfig,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) sign_in_secret: Option<SignInSecret>,
    pub(crate) oidc: Option<SignInProvider>,
    /// `None` where the Model Context Protocol is not spoken.
    pub(crate) mcp: Option<HttpTransport>,
    /// Whether users let clients of the Model Context Protocol in by themselves.
    pub(crate) mcp_oauth: bool,
    pub(crate) metrics: HttpMetrics,
}

impl ServerState {
    /// `rate_limit` is in requests per minute and key; `None` means no limit.
    pub(crate) fn new(
        core: Arc<Core>,
        routes: &'static [Route],
        pages: &'static dyn PageHooks,
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
            pages,
            limiter: ReloadableLimit::new(rate_limit),
            erasure_limiter: ReloadableLimit::new(None),
            playground_history: PlaygroundHistory::new(),
            developer_throttle: SignInThrottle::new(),
            limits,
            body_budget: BodyBudget::new(),
            site,
            operator: OperatorConfig::default(),
            trusted_proxies: TrustedProxies::new(Vec::new()),
            sign_in_secret: None,
            oidc: None,
            mcp: None,
            mcp_oauth: false,
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
    pub(crate) fn mcp(self, speaks: bool) -> Self {
        #[cfg(feature = "mcp")]
        let mcp = speaks.then(|| HttpTransport::new(self.limits.max_body_bytes));
        // The command line refuses what this build does not speak.
        #[cfg(not(feature = "mcp"))]
        let mcp = None.filter(|_| speaks);
        Self { mcp, ..self }
    }

    /// Has users let clients of the Model Context Protocol in by themselves, over OAuth.
    #[must_use]
    pub(crate) fn mcp_oauth(self, mcp_oauth: bool) -> Self {
        Self { mcp_oauth, ..self }
    }

    /// Whether clients may ask users over OAuth to be let in.
    pub(crate) fn offers_oauth(&self) -> bool {
        self.mcp.is_some() && self.mcp_oauth
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
