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

pub(crate) struct ServerState {
    pub(crate) core: Arc<Core>,
    pub(crate) routes: &'static [Route],
    pub(crate) pages: &'static PageHooks,
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
    /// What speaks the Model Context Protocol at [`MCP_PATH`], where it is spoken.
    pub(crate) mcp: Option<HttpTransport>,
    /// Whether users let clients of the Model Context Protocol in by themselves.
    pub(crate) mcp_oauth: bool,
    pub(crate) metrics: HttpMetrics,
}

/// What operators can set of the HTTP interface. Limits are per minute and key; `None` means no limit.
pub(crate) struct HttpSettings<'a> {
    pub(crate) rate_limit: Option<NonZeroU32>,
    pub(crate) erasure_limit: Option<NonZeroU32>,
    pub(crate) limits: Limits,
    pub(crate) operator: OperatorConfig,
    /// The proxies that are believed what they say of their clients.
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// Enables sign-in links for callers that know it.
    pub(crate) sign_in_secret: Option<&'a SecretString>,
    pub(crate) mcp: bool,
    pub(crate) mcp_oauth: bool,
}

impl ServerState {
    pub(crate) fn new(
        core: Arc<Core>,
        routes: &'static [Route],
        pages: &'static PageHooks,
        site: Site,
        provider: Option<Provider>,
        settings: HttpSettings<'_>,
    ) -> Self {
        let names = routes
            .iter()
            .map(|route| (route.method(), route.template()));
        let limits = settings.limits;
        #[cfg(feature = "mcp")]
        let mcp = settings
            .mcp
            .then(|| HttpTransport::new(limits.max_body_bytes));
        // The command line refuses what this build does not speak.
        #[cfg(not(feature = "mcp"))]
        let mcp = None.filter(|_| settings.mcp);
        Self {
            core,
            routes,
            pages,
            limiter: ReloadableLimit::new(settings.rate_limit),
            erasure_limiter: ReloadableLimit::new(settings.erasure_limit),
            playground_history: PlaygroundHistory::new(),
            developer_throttle: SignInThrottle::new(),
            limits,
            body_budget: BodyBudget::new(),
            site,
            operator: settings.operator,
            trusted_proxies: TrustedProxies(settings.trusted_proxies),
            sign_in_secret: settings.sign_in_secret.map(SignInSecret::new),
            oidc: provider.map(SignInProvider::new),
            mcp,
            mcp_oauth: settings.mcp_oauth,
            metrics: HttpMetrics::new(names, limits.max_connections),
        }
    }

    /// Sets both limits anew, per minute and key, while requests are answered.
    pub(crate) fn set_limits(&self, requests: Option<NonZeroU32>, erasures: Option<NonZeroU32>) {
        self.limiter.set(requests);
        self.erasure_limiter.set(erasures);
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
