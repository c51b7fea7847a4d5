//! What a server can be told. Only the command line and tests fill it in; nothing else
//! reads the environment.

use std::num::NonZeroU32;
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;

use crate::core::Settings;
use crate::http::Limits;
pub use crate::oidc::OidcConfig;

/// Where the server is found when nothing else is said.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// Where the data is kept when nothing else is said.
pub const DEFAULT_DATABASE_URL: &str = "sqlite://ctxmem.db";
/// Requests a minute and key when nothing else is said.
pub const DEFAULT_RATE_LIMIT: u32 = 600;
/// Tokens of the block in a prompt when nothing else is said.
pub const DEFAULT_TOKEN_BUDGET: u32 = 600;
/// Facts that each list of a user holds when nothing else is said.
pub const DEFAULT_LIST_CAP: u32 = 50;
/// Days for which the audit log is kept when nothing else is said.
pub const DEFAULT_AUDIT_DAYS: u32 = 365;
/// MiB of prompts that are kept in memory when nothing else is said.
pub const DEFAULT_CACHE_MIB: u64 = 64;
/// Seconds that a model may take when nothing else is said.
pub const DEFAULT_MODEL_TIMEOUT: u64 = 30;

/// How facts are extracted.
#[derive(Clone, Debug)]
pub enum ExtractorConfig {
    /// By the built-in rules.
    Rules,
    /// By a model behind an OpenAI-compatible endpoint.
    Model {
        /// The base of the endpoint; ends in `/v1`.
        url: Url,
        /// The name of the model.
        name: String,
        /// The key for the endpoint, where it wants one.
        api_key: Option<SecretString>,
        /// How long one answer may take.
        timeout: Duration,
    },
}

/// Everything that a server can be told.
#[derive(Clone, Debug)]
pub struct Config {
    /// `sqlite://path/to/file.db`.
    pub database_url: String,
    /// Under which address users and browsers reach the server.
    pub public_url: Url,
    /// How facts are extracted.
    pub extractor: ExtractorConfig,
    /// Requests a minute and key; `None` for any number.
    pub rate_limit: Option<NonZeroU32>,
    /// The secret by which the operator's application has sign-in links made, where it may.
    pub sign_in_secret: Option<SecretString>,
    /// The provider at which people can sign in, where there is one.
    pub oidc: Option<OidcConfig>,
    /// What the rules need to know.
    pub settings: Settings,
    /// What a client may take of the server's time and memory.
    pub limits: Limits,
}

impl Config {
    /// The defaults, on this database and under this address.
    pub fn new(database_url: impl Into<String>, public_url: Url) -> Self {
        Self {
            database_url: database_url.into(),
            public_url,
            extractor: ExtractorConfig::Rules,
            rate_limit: NonZeroU32::new(DEFAULT_RATE_LIMIT),
            sign_in_secret: None,
            oidc: None,
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
            cache_bytes: DEFAULT_CACHE_MIB << 20,
        }
    }
}
