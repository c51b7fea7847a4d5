//! The flags that choose the extractor, for the server, `extract` and `check-model`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use reqwest::Url;
use secrecy::SecretString;

use super::CliError;
use crate::config::{DEFAULT_MODEL_TIMEOUT, ExtractorConfig};
use crate::extract::ModelConfig;

/// How facts are extracted.
#[derive(Clone, Debug, Args)]
pub(super) struct ExtractorArgs {
    /// How facts are extracted [default: rules]
    #[arg(long, env = "CTXMEM_EXTRACTOR", value_enum)]
    extractor: Option<ExtractorKind>,
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
    /// Seconds that the model may take for one extraction [default: 30]
    #[arg(long, env = "CTXMEM_MODEL_TIMEOUT", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    model_timeout: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExtractorKind {
    /// Built-in rules, no model
    Rules,
    /// A model behind an OpenAI-compatible endpoint
    Model,
}

impl ExtractorArgs {
    /// These flags, with the others for those that are absent.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            extractor: self.extractor.or(other.extractor),
            model_url: self.model_url.or(other.model_url),
            model_name: self.model_name.or(other.model_name),
            model_api_key: self.model_api_key.or(other.model_api_key),
            model_timeout: self.model_timeout.or(other.model_timeout),
        }
    }

    /// How long a model may take.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.model_timeout.unwrap_or(DEFAULT_MODEL_TIMEOUT))
    }

    pub(super) fn config(self) -> Result<ExtractorConfig, CliError> {
        if let None | Some(ExtractorKind::Rules) = self.extractor {
            return Ok(ExtractorConfig::Rules);
        }
        let model = self.model("--extractor model")?;
        Ok(ExtractorConfig::Model {
            url: model.url,
            name: model.name,
            api_key: model.api_key,
            timeout: model.timeout,
        })
    }

    /// The model that the flags name, whatever `--extractor` says.
    pub(super) fn model(self, needed_by: &str) -> Result<ModelConfig, CliError> {
        let missing = |flag| CliError::Usage(format!("{flag}: needed by {needed_by}"));
        Ok(ModelConfig {
            timeout: self.timeout(),
            url: self.model_url.ok_or_else(|| missing("--model-url"))?,
            name: self.model_name.ok_or_else(|| missing("--model-name"))?,
            api_key: self.model_api_key,
        })
    }
}
