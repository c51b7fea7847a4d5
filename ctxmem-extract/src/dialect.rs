//! The dialect of an endpoint: which optional parts of a request it accepts. OpenAI-compatible endpoints differ in
//! details and refuse what they don't know: what was refused is left out, and nothing else.

use serde_json::{Map, Value, json};

/// How the form of an answer is asked for, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `json_schema`, as OpenAI has it.
    Schema,
    /// `json_object` with a schema beside it, as llama.cpp and what is built on it have it.
    ObjectWithSchema,
    /// Any JSON object.
    Object,
    /// Only in words.
    Free,
}

/// What an answer may be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_tokens`
    Tokens,
    /// `max_completion_tokens`, which newer models of OpenAI want.
    CompletionTokens,
    /// Not said.
    None,
}

/// The parts of a request that not every endpoint takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// How the form of the answer is asked for.
    pub format: Format,
    /// Whether the most likely answer is asked for.
    pub temperature: bool,
    /// How the length of the answer is bounded.
    pub limit: Limit,
    /// Longest answer, in tokens, where the operator has said it: small models go on and on, others think aloud.
    pub most_tokens: Option<u32>,
    /// Whether the answer comes in pieces.
    pub stream: bool,
    /// Whether the last of them is to say how many tokens it took.
    pub usage: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            format: Format::Schema,
            temperature: true,
            limit: Limit::Tokens,
            most_tokens: None,
            stream: false,
            usage: true,
        }
    }
}

/// Longest answer, in tokens: some thirty facts with their quotes. Small models go on and on; of what is cut off, the
/// whole facts count.
const MOST_TOKENS: u32 = 2_048;

/// The same where what a model thinks counts as well.
const MOST_TOKENS_WITH_THOUGHT: u32 = 8_192;

/// Words of refusals that concern the form of the answer.
const FORMAT_WORDS: [&str; 6] = [
    "response_format",
    "json_schema",
    "json_object",
    "schema",
    "grammar",
    "structured output",
];

/// Words of refusals that no other form of the same question helps.
const HOPELESS_WORDS: [&str; 12] = [
    "context length",
    "context window",
    "context size",
    "too long",
    "content filter",
    "content_filter",
    "content management policy",
    "role",
    "api key",
    "not found",
    "billing",
    "quota",
];

impl Dialect {
    /// Adds the parts to the body of a request.
    pub(crate) fn add_to(self, body: &mut Map<String, Value>, format: &Value) {
        if self.temperature {
            body.insert("temperature".to_owned(), 0.into());
        }
        let limit = match self.limit {
            Limit::Tokens => Some(("max_tokens", MOST_TOKENS)),
            Limit::CompletionTokens => Some(("max_completion_tokens", MOST_TOKENS_WITH_THOUGHT)),
            Limit::None => None,
        };
        if let Some((name, most)) = limit {
            let most = self.most_tokens.unwrap_or(most);
            body.insert(name.to_owned(), most.into());
        }
        if self.stream {
            body.insert("stream".to_owned(), true.into());
        }
        if self.stream && self.usage {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        let schema = format.pointer("/json_schema/schema");
        let format = match self.format {
            Format::Schema => Some(format.clone()),
            Format::ObjectWithSchema => Some(json!({"type": "json_object", "schema": schema})),
            Format::Object => Some(json!({"type": "json_object"})),
            Format::Free => None,
        };
        if let Some(format) = format {
            body.insert("response_format".to_owned(), format);
        }
    }

    /// What to try after a refusal, by its status and its words; `None` where no other form helps.
    pub fn after_refusal(self, status: u16, words: &str) -> Option<Self> {
        // Servers that can't build a grammar answer 500; OpenRouter finds no model that takes all with 404.
        if !matches!(status, 200 | 400 | 403 | 404 | 415 | 422 | 424 | 500 | 501) {
            return None;
        }
        let words = words.to_lowercase();
        let names = |word: &str| words.contains(word);
        let mut next = self;
        if self.stream_is_wanted(&words) {
            next.stream = true;
        } else if names("stream_options") && self.stream && self.usage {
            next.usage = false;
        } else if names("max_completion_tokens") && self.limit == Limit::Tokens {
            next.limit = Limit::CompletionTokens;
        } else if self.limit != Limit::None
            && (names("max_tokens")
                || names("max_completion_tokens")
                || (names("context") && names("completion")))
        {
            next.limit = Limit::None;
        } else if names("temperature") && self.temperature {
            next.temperature = false;
        } else if self.format != Format::Free && FORMAT_WORDS.iter().any(|word| names(word)) {
            next.format = self.format.weaker();
        } else if self.is_plain() {
            return None;
        } else if names("no endpoints found")
            || names("requested parameters")
            || names("unsupportedparams")
        {
            next = self.plain();
        } else if matches!(status, 400 | 415 | 422)
            && !HOPELESS_WORDS.iter().any(|word| names(word))
        {
            // It says nothing of use: the plainest form, which every endpoint takes.
            next = self.plain();
        } else {
            return None;
        }
        Some(next)
    }

    fn stream_is_wanted(self, words: &str) -> bool {
        !self.stream
            && words.contains("stream")
            && ["must", "only", "require", "set stream", "stream=true"]
                .iter()
                .any(|word| words.contains(word))
    }

    fn plain(self) -> Self {
        Self {
            format: Format::Free,
            temperature: false,
            limit: Limit::None,
            usage: false,
            ..self
        }
    }

    fn is_plain(self) -> bool {
        self == self.plain()
    }
}

impl Format {
    fn weaker(self) -> Self {
        match self {
            Self::Schema => Self::ObjectWithSchema,
            Self::ObjectWithSchema => Self::Object,
            Self::Object | Self::Free => Self::Free,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(status: u16, words: &str) -> Option<Dialect> {
        Dialect::default().after_refusal(status, words)
    }

    #[test]
    fn what_was_refused_is_dropped_alone() {
        let whole = Dialect::default();
        let of_format = |format| Dialect { format, ..whole };
        let of_limit = |limit| Dialect { limit, ..whole };
        for (status, words, next) in [
            (
                400,
                "Unsupported value: 'temperature' does not support 0",
                Dialect {
                    temperature: false,
                    ..whole
                },
            ),
            (
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                of_limit(Limit::CompletionTokens),
            ),
            (
                400,
                "max_tokens is too large: this model's context length is 8192",
                of_limit(Limit::None),
            ),
            (
                400,
                "maximum context length is 4096 tokens, 8192 in the completion",
                of_limit(Limit::None),
            ),
            (
                403,
                "response_format json_schema is not allowed",
                of_format(Format::ObjectWithSchema),
            ),
            (
                424,
                "UnsupportedParamsError: response_format",
                of_format(Format::ObjectWithSchema),
            ),
            (
                200,
                r#"{"message":"response_format is not supported by this model"}"#,
                of_format(Format::ObjectWithSchema),
            ),
            (
                500,
                "failed to parse grammar",
                of_format(Format::ObjectWithSchema),
            ),
            (
                400,
                "This model only supports streaming: stream must be true",
                Dialect {
                    stream: true,
                    ..whole
                },
            ),
            (
                404,
                "No endpoints found that can handle the requested parameters",
                whole.plain(),
            ),
            (400, "Bad Request", whole.plain()),
            (422, "", whole.plain()),
        ] {
            assert_eq!(after(status, words), Some(next), "{words}");
        }
    }

    #[test]
    fn what_no_other_form_helps_is_not_asked_again() {
        for (status, words) in [
            (400, "This model's maximum context length is 4096 tokens"),
            (
                400,
                "The response was filtered due to the content management policy",
            ),
            (400, "Incorrect API key provided"),
            (400, "System role not supported"),
            (401, "response_format"),
            (404, "model \"qwen3\" not found, try pulling it first"),
            (429, "response_format"),
            (500, "out of memory"),
        ] {
            assert_eq!(after(status, words), None, "{words}");
        }
    }

    #[test]
    fn the_count_of_tokens_is_refused_alone() {
        let in_pieces = Dialect {
            stream: true,
            ..Dialect::default()
        };
        let refused = in_pieces.after_refusal(400, "Unrecognized request argument: stream_options");
        let uncounted = Dialect {
            usage: false,
            ..in_pieces
        };
        assert_eq!(refused, Some(uncounted));
        let mut body = Map::new();
        uncounted.add_to(&mut body, &Value::Null);
        assert_eq!(
            (body.get("stream"), body.get("stream_options")),
            (Some(&true.into()), None)
        );
    }

    #[test]
    fn refusals_come_to_an_end() {
        let mut dialect = Dialect::default();
        let all = "stream must be true stream_options temperature max_tokens max_completion_tokens response_format";
        let mut steps = 0;
        while let Some(next) = dialect.after_refusal(400, all) {
            assert_ne!(next, dialect);
            dialect = next;
            steps += 1;
        }
        assert!(steps <= 9 && dialect.is_plain(), "{steps} {dialect:?}");
    }
}
