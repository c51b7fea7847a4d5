//! The cache fields of OpenAI's endpoints, which depend on the model.
//!
//! The source of every rule, unless another one is named, is
//! <https://developers.openai.com/api/docs/guides/prompt-caching>, as of October 2026. Both
//! endpoints take the same fields:
//!
//! - `prompt_cache_retention`: "Lifetime and retention: … Use `prompt_cache_retention`, with
//!   supported values that depend on the model"; "Extended retention is supported by …", a list.
//! - `prompt_cache_options`: "For GPT-5.6 and later … Use `prompt_cache_options.ttl` to control
//!   the minimum cache lifetime. The only supported value, `30m`, is also the default."
//! - `prompt_cache_key`: it "separates cache reuse between groups of requests and helps optimize
//!   cache routing on models before GPT-5.6". "On GPT-5.6 and later, OpenAI handles cache routing
//!   automatically; the key is not needed to optimize caching", but "separate keys help prevent
//!   cache-hit probing across users". (An edition of July 2026 said "you must set
//!   `prompt_cache_key` to use the more reliable matching".)
//!
//! The breakpoints are in [`breakpoint`].

pub(crate) mod breakpoint;

use ctxmem_types::CacheHint;
use serde_json::{Map, Value, json};

use crate::rules::{OPENAI_A_DAY_ONLY, OPENAI_KEY, OPENAI_OPTIONS, OPENAI_RETENTION};

/// The lifetime of a prefix, for models before 5.6.
pub(crate) const RETENTION: &str = "prompt_cache_retention";
/// Its replacement in 5.6 and later. No model takes both.
pub(crate) const OPTIONS: &str = "prompt_cache_options";
/// The key of a user's calls.
pub(crate) const KEY: &str = "prompt_cache_key";

/// Variants that are not text models of the family, or not served by OpenAI. The guide does
/// not mention them.
const OTHER_KINDS: [&str; 8] = [
    "audio",
    "embedding",
    "image",
    "oss",
    "realtime",
    "search",
    "transcribe",
    "tts",
];

/// The fields for this model; none unless it is known to take one.
pub(crate) fn fields(model: &str, hint: &CacheHint) -> Map<String, Value> {
    let field = if takes_options(model) {
        // `30m` is the only possible value, whatever the hint says.
        Some((OPTIONS, json!({"ttl": "30m"})))
    } else {
        recommended(hint)
            .filter(|retention| takes(model, *retention))
            .map(|retention| (RETENTION, retention.as_str().into()))
    };
    field
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The values of `prompt_cache_retention`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Retention {
    InMemory,
    Extended,
}

impl Retention {
    const ALL: [Self; 2] = [Self::InMemory, Self::Extended];

    fn as_str(self) -> &'static str {
        match self {
            Self::InMemory => "in_memory",
            Self::Extended => "24h",
        }
    }
}

/// Whether the hint recommends a day.
pub(crate) fn recommends_a_day(hint: &CacheHint) -> bool {
    recommended(hint) == Some(Retention::Extended)
}

/// The value that the hint recommends, if OpenAI knows it. The provider's parameter takes
/// precedence over the general retention.
fn recommended(hint: &CacheHint) -> Option<Retention> {
    let for_field = hint.provider_param.as_ref().and_then(|p| p.get(RETENTION));
    let value = match for_field {
        Some(value) => value.as_str(),
        None => hint.retention.as_deref(),
    };
    Retention::ALL
        .into_iter()
        .find(|retention| value == Some(retention.as_str()))
}

fn takes(model: &str, retention: Retention) -> bool {
    let model = without_date(model);
    OPENAI_RETENTION.names(model)
        && (retention == Retention::Extended || !OPENAI_A_DAY_ONLY.names(model))
}

/// Whether this is a model of 5.6 or a later family: `gpt-6`, `gpt-5.6-sol`,
/// `gpt-6.1-terra-2026-11-02`. They take breakpoints as well.
pub(crate) fn takes_options(model: &str) -> bool {
    family(model).is_some_and(|version| OPENAI_OPTIONS.covers(version))
}

/// Whether this is a model of OpenAI's whose requests take `prompt_cache_key`.
pub(crate) fn takes_key(model: &str) -> bool {
    let name = without_date(model);
    OPENAI_KEY.names(name) || family(model).is_some_and(|version| OPENAI_KEY.covers(version))
}

/// The version of a text model of OpenAI's that is named by number.
fn family(model: &str) -> Option<(u8, u8)> {
    let name = without_date(model).strip_prefix("gpt-")?;
    let (number, variant) = match name.split_once('-') {
        Some((number, variant)) => (number, Some(variant)),
        None => (name, None),
    };
    version(number).filter(|_| variant.is_none_or(is_variant))
}

/// Whether the words after the version are those of OpenAI: `sol`, `codex-mini`. Others name
/// their models by size and the like (`20b`, `q4_k_m`).
fn is_variant(variant: &str) -> bool {
    variant.split('-').all(|word| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !OTHER_KINDS.contains(&word)
    })
}

/// `5` is 5.0, and `5.10` comes after `5.6`. Major versions have one digit so far, so `gpt-50`
/// is not a known model.
fn version(number: &str) -> Option<(u8, u8)> {
    let (major, minor) = match number.split_once('.') {
        Some((major, minor)) => (major, Some(minor)),
        None => (number, None),
    };
    Some((digits(major, 1)?, minor.map_or(Some(0), |m| digits(m, 2))?))
}

/// A number of at most this many digits, without a leading zero.
fn digits(text: &str, max_digits: usize) -> Option<u8> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    (plain && text.len() <= max_digits && !text.starts_with('0'))
        .then(|| text.parse().ok())
        .flatten()
}

/// The model without the date of its snapshot: `gpt-4.1-2025-04-14` is `gpt-4.1`.
pub(crate) fn without_date(model: &str) -> &str {
    let Some((name, date)) = model
        .len()
        .checked_sub("-YYYY-MM-DD".len())
        .and_then(|at| model.split_at_checked(at))
    else {
        return model;
    };
    let is_date = date.bytes().zip("-YYYY-MM-DD".bytes()).all(|(byte, form)| {
        if form == b'-' {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    });
    if is_date { name } else { model }
}

#[cfg(test)]
mod tests;
