//! The providers of models that `--model` names: where they are, how they take a key and what they don't take.

use reqwest::Url;

use crate::extract::Limit;

/// A provider of models.
#[derive(Debug)]
pub(super) struct Preset {
    /// What stands before the colon.
    pub(super) name: &'static str,
    /// The base of its endpoint; `{}` stands for the resource of `azure:RESOURCE/DEPLOYMENT`.
    pub(super) url: &'static str,
    /// The environment variable that holds its key, if it needs one. It is read only where the preset is named.
    pub(super) key_variable: Option<&'static str>,
    /// The header for the key, where it is no bearer token.
    pub(super) key_header: Option<&'static str>,
    /// How it takes the longest answer.
    pub(super) limit: Limit,
    /// The model, where a server serves the one that it was started with.
    pub(super) default_model: Option<&'static str>,
}

/// A preset without a key, and with the usual limit.
const fn at(name: &'static str, url: &'static str) -> Preset {
    Preset {
        name,
        url,
        key_variable: None,
        key_header: None,
        limit: Limit::Tokens,
        default_model: None,
    }
}

pub(super) const PRESETS: [Preset; 9] = [
    Preset {
        key_variable: Some("OPENAI_API_KEY"),
        limit: Limit::CompletionTokens,
        ..at("openai", "https://api.openai.com/v1")
    },
    Preset {
        key_variable: Some("ANTHROPIC_API_KEY"),
        ..at("anthropic", "https://api.anthropic.com/v1")
    },
    Preset {
        key_variable: Some("GEMINI_API_KEY"),
        ..at(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
        )
    },
    Preset {
        key_variable: Some("OPENROUTER_API_KEY"),
        ..at("openrouter", "https://openrouter.ai/api/v1")
    },
    Preset {
        key_variable: Some("AZURE_OPENAI_API_KEY"),
        key_header: Some("api-key"),
        limit: Limit::CompletionTokens,
        ..at("azure", "https://{}.openai.azure.com/openai/v1")
    },
    at("ollama", "http://localhost:11434/v1"),
    Preset {
        default_model: Some("default"),
        ..at("lmstudio", "http://localhost:1234/v1")
    },
    Preset {
        default_model: Some("default"),
        // 8080, which it takes by default, is ours.
        ..at("llama.cpp", "http://localhost:8081/v1")
    },
    at("vllm", "http://localhost:8000/v1"),
];

/// A preset and what was named of it: `ollama:qwen3`, `azure:RESOURCE/DEPLOYMENT`.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) preset: &'static Preset,
    pub(super) url: Url,
    pub(super) model: String,
}

impl Named {
    /// Reads the value of `--model`.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let (name, model) = text.split_once(':').unwrap_or((text, ""));
        let names = || PRESETS.map(|preset| preset.name).join(", ");
        let preset = PRESETS.iter().find(|preset| preset.name == name);
        let preset = preset.ok_or_else(|| {
            format!(
                "expected PROVIDER:NAME, with one of these providers: {}",
                names()
            )
        })?;
        let (resource, model) = if preset.url.contains("{}") {
            let parts = model.split_once('/');
            let parts = parts.filter(|(resource, _)| !resource.is_empty());
            parts.ok_or_else(|| format!("expected {name}:RESOURCE/DEPLOYMENT"))?
        } else {
            ("", model)
        };
        let is_host = resource
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || c == b'-');
        let url = preset.url.replace("{}", resource);
        let model = match model {
            "" => preset.default_model.unwrap_or_default(),
            model => model,
        };
        if model.is_empty() || !is_host {
            return Err(format!("expected {name}:NAME, with the name of a model"));
        }
        Ok(Self {
            preset,
            url: url.parse().map_err(|_| format!("expected {name}:NAME"))?,
            model: model.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_and_a_model_are_named() {
        for (text, url, model) in [
            (
                "openai:gpt-5-mini",
                "https://api.openai.com/v1",
                "gpt-5-mini",
            ),
            ("ollama:qwen3:8b", "http://localhost:11434/v1", "qwen3:8b"),
            (
                "openrouter:qwen/qwen3-8b",
                "https://openrouter.ai/api/v1",
                "qwen/qwen3-8b",
            ),
            (
                "azure:acme/gpt-4o",
                "https://acme.openai.azure.com/openai/v1",
                "gpt-4o",
            ),
            ("llama.cpp", "http://localhost:8081/v1", "default"),
        ] {
            let named = Named::of(text).expect("a preset");
            assert_eq!((named.url.as_str(), &*named.model), (url, model));
        }
        for text in [
            "",
            "gpt-5",
            "openai",
            "openai:",
            "azure:gpt-4o",
            "azure:a.b/c",
            "azure:/c",
            "vllm",
            "grok:x",
        ] {
            assert!(Named::of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_address_is_one() {
        for preset in PRESETS {
            let url: Url = preset.url.replace("{}", "acme").parse().expect("a URL");
            assert_eq!(url.scheme() == "http", preset.key_variable.is_none());
        }
    }
}
