//! The configuration of a server. Only the command line and tests fill it in, and only the
//! command line reads the environment.

use std::num::NonZeroU32;

use ipnet::IpNet;
use reqwest::Url;
use secrecy::SecretString;

use crate::core::{Demo, FirstGrant, OnModelFailure, PasswordCost, Settings};
use crate::extract::ModelConfig;
use crate::http::Limits;
pub use crate::http::OperatorConfig;
pub use crate::oidc::OidcConfig;
pub use crate::store::{DbConfig, MasterKey};
pub use crate::webhook::WebhookConfig;

/// The default address and port.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// The default database.
pub const DEFAULT_DATABASE_URL: &str = "sqlite://ctxmem.db";
/// The default limit of requests per minute and key.
pub const DEFAULT_RATE_LIMIT: u32 = 600;
/// The default limit of erasures per minute and key.
pub const DEFAULT_ERASURE_LIMIT: u32 = 60;
/// The default budget for the block in a prompt, in tokens as models count them.
pub const DEFAULT_TOKEN_BUDGET: u32 = 2_000;
/// The default limit of facts in each list of a user; the history holds twice as many.
pub const DEFAULT_LIST_CAP: u32 = 100;
/// The default number of days for which the audit log is kept.
pub const DEFAULT_AUDIT_DAYS: u32 = 365;
/// For how many days the request log is kept.
pub const DEFAULT_REQUEST_LOG_DAYS: u32 = 7;
/// The default size of the cache, in MiB.
pub const DEFAULT_CACHE_MIB: u64 = 64;
/// Which agents get their first grant by themselves, by default.
pub const DEFAULT_FIRST_GRANT: FirstGrant = FirstGrant::Auto;
/// Whether prompts have demo facts by default, as the interface says.
pub const DEFAULT_DEMO: Demo = Demo::On;
/// Whether the Model Context Protocol is spoken by default.
pub const DEFAULT_MCP: bool = false;
/// Whether users let clients of that protocol in by themselves, by default.
pub const DEFAULT_MCP_OAUTH: bool = false;
/// The default timeout of a model, in seconds.
pub const DEFAULT_MODEL_TIMEOUT: u64 = 30;

/// How facts are extracted.
#[derive(Clone, Debug)]
pub enum ExtractorConfig {
    /// By what is built in.
    Builtin,
    /// By a model behind an OpenAI-compatible endpoint.
    Model(Box<ModelConfig>),
}

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the data is, and the users' keys.
    pub database: DbConfig,
    /// The server's address for users and their browsers.
    pub public_url: Url,
    /// How facts are extracted.
    pub extractor: ExtractorConfig,
    /// Requests per minute and key; `None` for no limit.
    pub rate_limit: Option<NonZeroU32>,
    /// Erasures per minute and key; `None` for no limit.
    pub erasure_limit: Option<NonZeroU32>,
    /// The secret with which the operator's application requests sign-in links; `None` disables
    /// them.
    pub sign_in_secret: Option<SecretString>,
    /// Where the operator's application is told of news for users, if anywhere.
    pub webhook: Option<WebhookConfig>,
    /// The provider at which people can sign in, if any.
    pub oidc: Option<OidcConfig>,
    /// Whether the Model Context Protocol is spoken at `/mcp`.
    pub mcp: bool,
    /// Whether users let clients of that protocol in by themselves, over OAuth.
    pub mcp_oauth: bool,
    /// Who runs this service, for the pages.
    pub operator: OperatorConfig,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// The settings of the core.
    pub settings: Settings,
    /// How much of the server's time and memory clients may use.
    pub limits: Limits,
}

impl Config {
    /// The defaults, with this database and public address.
    pub fn new(database: impl Into<DbConfig>, public_url: Url) -> Self {
        Self {
            database: database.into(),
            public_url,
            extractor: ExtractorConfig::Builtin,
            rate_limit: NonZeroU32::new(DEFAULT_RATE_LIMIT),
            erasure_limit: NonZeroU32::new(DEFAULT_ERASURE_LIMIT),
            sign_in_secret: None,
            webhook: None,
            oidc: None,
            mcp: DEFAULT_MCP,
            mcp_oauth: DEFAULT_MCP_OAUTH,
            operator: OperatorConfig::default(),
            trusted_proxies: Vec::new(),
            settings: Settings::default(),
            limits: Limits::default(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            token_budget: DEFAULT_TOKEN_BUDGET as usize,
            monthly_quota: None,
            list_cap: NonZeroU32::new(DEFAULT_LIST_CAP),
            audit_days: NonZeroU32::new(DEFAULT_AUDIT_DAYS),
            request_log_days: NonZeroU32::new(DEFAULT_REQUEST_LOG_DAYS),
            cache_bytes: DEFAULT_CACHE_MIB << 20,
            first_grant: DEFAULT_FIRST_GRANT,
            demo: DEFAULT_DEMO,
            on_model_failure: OnModelFailure::Error,
            password_cost: PasswordCost::default(),
        }
    }
}
