//! Rules: which models take what, as of when, and who says so. What is in no rule is sent nothing: a field that an
//! endpoint doesn't know may make the whole call fail, and a missing one only costs cache hits.

/// A rule of a model provider's about its models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// Whose endpoint it is.
    pub endpoint: &'static str,
    /// What the models take: a field of the request's body and, where it matters, its value.
    pub takes: &'static str,
    /// The models by name, without the dates of their snapshots.
    pub models: &'static [&'static str],
    /// The first version of a family of which all later ones take it as well: 5.6 is `(5, 6)`.
    pub from: Option<(u8, u8)>,
    /// The month in which the page was read: `2026-10`.
    pub as_of: &'static str,
    /// The page that says so.
    pub source: &'static str,
}

const OPENAI: &str = "https://developers.openai.com/api/docs/guides/prompt-caching";
const AZURE: &str = "https://learn.microsoft.com/azure/foundry/openai/how-to/prompt-caching";
const BEDROCK: &str = "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html";
const OPENROUTER: &str = "https://openrouter.ai/docs/guides/best-practices/prompt-caching";

/// OpenAI lists models, not families: `gpt-4.1-mini`, `gpt-4.1-nano`, `gpt-5-mini` and `gpt-5-nano` reject the field
/// with a 400 (<https://github.com/home-assistant/core/pull/161097>,
/// <https://github.com/OpenHands/software-agent-sdk/pull/1345>), while `gpt-5.1-codex-mini` is on the list.
pub(crate) const OPENAI_RETENTION: Rule = Rule {
    endpoint: "OpenAI",
    takes: "prompt_cache_retention",
    models: &[
        "gpt-5.5",
        "gpt-5.5-pro",
        "gpt-5.4",
        "gpt-5.2",
        "gpt-5.1-codex-max",
        "gpt-5.1",
        "gpt-5.1-codex",
        "gpt-5.1-codex-mini",
        "gpt-5.1-chat-latest",
        "gpt-5",
        "gpt-5-codex",
        "gpt-4.1",
    ],
    from: None,
    as_of: "2026-10",
    source: OPENAI,
};

/// Those of them that reject `in_memory`.
pub(crate) const OPENAI_A_DAY_ONLY: Rule = Rule {
    takes: "prompt_cache_retention: 24h and nothing else",
    models: &["gpt-5.5", "gpt-5.5-pro"],
    ..OPENAI_RETENTION
};

/// "Prompt caching is enabled … `gpt-4o` and newer", and "Other earlier models: Use a stable key to optimize cache
/// routing". `o3` and `o4` are newer than `gpt-4o`.
pub(crate) const OPENAI_KEY: Rule = Rule {
    endpoint: "OpenAI",
    takes: "prompt_cache_key",
    models: &[
        "gpt-4o",
        "gpt-4o-mini",
        "gpt-4.1",
        "gpt-4.1-mini",
        "gpt-4.1-nano",
        "o1",
        "o3",
        "o3-mini",
        "o3-pro",
        "o4-mini",
    ],
    from: Some((5, 0)),
    as_of: "2026-10",
    source: OPENAI,
};

/// "GPT-5.6 and later model families". They take breakpoints as well.
pub(crate) const OPENAI_OPTIONS: Rule = Rule {
    endpoint: "OpenAI, Azure, OpenRouter",
    takes: "prompt_cache_options, prompt_cache_breakpoint",
    models: &[],
    from: Some((5, 6)),
    as_of: "2026-10",
    source: OPENAI,
};

/// The models of the page's list for which a day is not the default. Without `gpt-4.1`, which was reported to reject
/// the field: <https://github.com/OpenHands/software-agent-sdk/issues/2295>.
pub(crate) const AZURE_RETENTION: Rule = Rule {
    endpoint: "Azure",
    takes: "prompt_cache_retention: 24h",
    models: &[
        "gpt-5.4",
        "gpt-5.3-codex",
        "gpt-5.2",
        "gpt-5.1-codex-max",
        "gpt-5.1",
        "gpt-5.1-codex",
        "gpt-5.1-codex-mini",
        "gpt-5",
        "gpt-5-codex",
    ],
    from: None,
    as_of: "2026-08",
    source: AZURE,
};

/// Claude models that take both lifetimes.
pub(crate) const BEDROCK_HOUR: Rule = Rule {
    endpoint: "Bedrock",
    takes: "cachePoint, cache_control; ttl: 1h",
    models: &[
        "claude-fable-5-1",
        "claude-mythos-5-1",
        "claude-fable-5",
        "claude-mythos-5",
        "claude-mythos-preview",
        "claude-opus-5",
        "claude-opus-4-8",
        "claude-opus-4-7",
        "claude-opus-4-6",
        "claude-opus-4-5",
        "claude-sonnet-5",
        "claude-sonnet-4-6",
        "claude-sonnet-4-5",
        "claude-haiku-4-5",
    ],
    from: None,
    as_of: "2026-11",
    source: BEDROCK,
};

/// Claude models that take five minutes: the same table, and its earlier editions for those that it no longer lists.
pub(crate) const BEDROCK_MINUTES: Rule = Rule {
    takes: "cachePoint, cache_control",
    models: &[
        "claude-opus-4-1",
        "claude-sonnet-4",
        "claude-3-7-sonnet",
        "claude-3-5-haiku",
    ],
    ..BEDROCK_HOUR
};

/// Nova models, whose cards say "5 minutes" and "`system` and `messages`".
pub(crate) const BEDROCK_NOVA: Rule = Rule {
    endpoint: "Bedrock, Converse only",
    takes: "cachePoint",
    models: &["nova-micro", "nova-lite", "nova-pro", "nova-premier"],
    ..BEDROCK_HOUR
};

/// By the beginning of their names.
pub(crate) const OPENROUTER_MARKS: Rule = Rule {
    endpoint: "OpenRouter",
    takes: "cache_control",
    models: &["anthropic/", "google/gemini-"],
    from: None,
    as_of: "2026-11",
    source: OPENROUTER,
};

/// All rules about models. What an endpoint takes from every model, as Anthropic's own does, is in its module.
pub const RULES: [Rule; 9] = [
    OPENAI_RETENTION,
    OPENAI_A_DAY_ONLY,
    OPENAI_KEY,
    OPENAI_OPTIONS,
    AZURE_RETENTION,
    BEDROCK_HOUR,
    BEDROCK_MINUTES,
    BEDROCK_NOVA,
    OPENROUTER_MARKS,
];

impl Rule {
    /// Whether it is about a model of this name.
    pub(crate) fn names(&self, model: &str) -> bool {
        self.models.contains(&model)
    }

    /// Whether it is about all models of this version.
    pub(crate) fn covers(&self, version: (u8, u8)) -> bool {
        self.from.is_some_and(|from| version >= from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_month_and_its_page() {
        for rule in RULES {
            let (year, month) = rule.as_of.split_once('-').unwrap();
            assert!(year.parse::<u16>().unwrap() > 2025 && month.parse::<u8>().unwrap() < 13);
            assert!(rule.source.starts_with("https://"), "{rule:?}");
            assert!(!rule.models.is_empty() || rule.from.is_some(), "{rule:?}");
        }
    }
}
