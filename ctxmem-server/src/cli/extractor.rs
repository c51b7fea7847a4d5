//! The flags that choose the extractor, for the server, `extract` and `check-model`.

use std::time::Duration;
use std::{env, fs};

use clap::{Args, ValueEnum};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::SecretString;

use super::CliError;
use super::presets::Named;
use crate::config::{DEFAULT_MODEL_TIMEOUT, ExtractorConfig};
use crate::extract::{Dialect, ModelConfig};

/// How facts are extracted.
#[derive(Clone, Debug, Args)]
pub(super) struct ExtractorArgs {
    /// How facts are extracted [default: model if one is named, otherwise builtin]
    #[arg(long, env = "CTXMEM_EXTRACTOR", value_enum)]
    extractor: Option<ExtractorKind>,
    /// The model by its provider: openai:NAME, anthropic:NAME, gemini:NAME, openrouter:NAME,
    /// azure:RESOURCE/DEPLOYMENT, ollama:NAME, vllm:NAME, lmstudio, llama.cpp. Keys are taken from the provider's own
    /// variable, such as `OPENAI_API_KEY`
    #[arg(long, env = "CTXMEM_MODEL", value_name = "PROVIDER:NAME", value_parser = Named::of)]
    model: Option<Named>,
    /// Base URL of the model's OpenAI-compatible endpoint, which usually ends in /v1
    #[arg(long, env = "CTXMEM_MODEL_URL", value_name = "URL")]
    model_url: Option<Url>,
    /// Name of the model
    #[arg(long, env = "CTXMEM_MODEL_NAME", value_name = "NAME")]
    model_name: Option<String>,
    /// API key for the model's endpoint; prefer the environment variable
    #[arg(
        long,
        env = "CTXMEM_MODEL_API_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    model_api_key: Option<SecretString>,
    /// A further header that the model's endpoint asks for, such as a company's gateway; repeat it for several
    #[arg(
        long,
        env = "CTXMEM_MODEL_HEADER",
        hide_env_values = true,
        value_name = "NAME=VALUE",
        value_delimiter = '\n',
        value_parser = header
    )]
    model_header: Option<Vec<Header>>,
    /// File with the certificates of an authority of your own that the model's endpoint has its certificate from, as PEM
    #[arg(long, env = "CTXMEM_MODEL_CA", value_name = "FILE")]
    model_ca: Option<std::path::PathBuf>,
    /// Seconds that the model may take for one extraction [default: 30]
    #[arg(long, env = "CTXMEM_MODEL_TIMEOUT", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    model_timeout: Option<u64>,
    /// Longest answer of the model, in tokens; 8192 where its endpoint counts thoughts too [default: 2048]
    #[arg(long, env = "CTXMEM_MODEL_MAX_TOKENS", value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(128..=131_072))]
    model_max_tokens: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExtractorKind {
    /// What is built in, no model
    #[value(alias = "rules")]
    Builtin,
    /// A model behind an OpenAI-compatible endpoint
    Model,
}

/// A header. Its value may be a secret.
type Header = (HeaderName, SecretString);

fn header(text: &str) -> Result<Header, String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let name: HeaderName = name
        .trim()
        .parse()
        .map_err(|_| "expected the name of a header before the equals sign")?;
    HeaderValue::from_str(value).map_err(|_| "expected a value that a header can have")?;
    Ok((name, SecretString::from(value)))
}

impl ExtractorArgs {
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.model_timeout.unwrap_or(DEFAULT_MODEL_TIMEOUT))
    }

    pub(super) fn config(self) -> Result<ExtractorConfig, CliError> {
        let is_model = match self.extractor {
            Some(kind) => kind == ExtractorKind::Model,
            None => self.model.is_some() || self.model_url.is_some() || self.model_name.is_some(),
        };
        if !is_model {
            return Ok(ExtractorConfig::Builtin);
        }
        let needed_by = match (self.extractor, &self.model_url) {
            (Some(_), _) => "--extractor model",
            (None, Some(_)) => "--model-url",
            (None, None) => "--model-name",
        };
        Ok(ExtractorConfig::Model(Box::new(self.model(needed_by)?)))
    }

    /// The model that the flags name, whatever `--extractor` says.
    pub(super) fn model(self, needed_by: &str) -> Result<ModelConfig, CliError> {
        let missing = |flag| CliError::Usage(format!("{flag} or --model: needed by {needed_by}"));
        let timeout = self.timeout();
        let (preset, url, name) = match self.model {
            Some(Named { preset, url, model }) => (Some(preset), Some(url), Some(model)),
            None => (None, None, None),
        };
        let url = self.model_url.or(url);
        let url = url.ok_or_else(|| missing("--model-url"))?;
        let name = self.model_name.or(name);
        let mut config =
            ModelConfig::new(url, name.ok_or_else(|| missing("--model-name"))?, timeout);
        config.api_key = self.model_api_key;
        config.headers = self.model_header.unwrap_or_default();
        if let Some(preset) = preset {
            config.key_header = preset.key_header.map(HeaderName::from_static);
            config.dialect = Dialect {
                limit: preset.limit,
                ..Dialect::default()
            };
            if let (None, Some(variable)) = (&config.api_key, preset.key_variable) {
                let key = env::var(variable).ok().filter(|key| !key.trim().is_empty());
                let key = key.ok_or_else(|| {
                    let name = preset.name;
                    CliError::Usage(format!(
                        "{variable}: expected the API key for --model {name}:…, or give --model-api-key"
                    ))
                })?;
                config.api_key = Some(SecretString::from(key.trim()));
            }
        }
        config.dialect.most_tokens = self.model_max_tokens;
        if let Some(file) = self.model_ca {
            let read = fs::read(&file);
            let read = read.map_err(|error| {
                CliError::Usage(format!(
                    "--model-ca: {} can't be read: {error}",
                    file.display()
                ))
            });
            config.ca = Some(read?);
        }
        Ok(config)
    }
}
