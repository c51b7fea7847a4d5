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
            rate_limit: NonZeroU32::new(600),
            erasure_limit: NonZeroU32::new(60),
            sign_in_secret: None,
            webhook: None,
            oidc: None,
            mcp: false,
            mcp_oauth: false,
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
            token_budget: 2_000,
            monthly_quota: None,
            list_cap: NonZeroU32::new(100),
            audit_days: NonZeroU32::new(365),
            request_log_days: NonZeroU32::new(7),
            cache_bytes: 64 << 20,
            first_grant: FirstGrant::Auto,
            // The interface says that prompts have demo facts by default.
            demo: Demo::On,
            on_model_failure: OnModelFailure::Error,
            password_cost: PasswordCost::default(),
        }
    }
}
