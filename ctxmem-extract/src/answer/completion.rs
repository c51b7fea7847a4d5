//! The completion: the envelope that an endpoint sends around the model's words, either one JSON object or a stream of
//! events, which some gateways send whatever they are asked for.

use serde_json::Value;

/// What an endpoint sent.
///
/// No `Debug`: what models write of people never reaches the log.
#[derive(Default, PartialEq, Eq)]
pub struct Completion {
    /// What the model wrote, which may be nothing.
    pub text: String,
    /// The tokens of the request and of the answer, where the endpoint counts them.
    pub tokens: Option<(u64, u64)>,
}

/// Reads what an endpoint sent; `None` when it is no completion at all.
pub fn completion(body: &[u8]) -> Option<Completion> {
    if let Ok(body) = serde_json::from_slice::<Value>(body) {
        let message = body.pointer("/choices/0/message")?;
        return Some(Completion {
            text: Parts::of(message)?.text(),
            tokens: tokens(&body),
        });
    }
    streamed(std::str::from_utf8(body).ok()?)
}

/// What an endpoint says instead of a completion with status 200: `{"error": …}`.
pub fn error(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error").filter(|error| !error.is_null())?;
    Some(error.to_string())
}

fn tokens(body: &Value) -> Option<(u64, u64)> {
    let count = |name| body.get("usage")?.get(name)?.as_u64();
    count("prompt_tokens").zip(count("completion_tokens"))
}

/// A stream of `data:` lines, each with a piece of the message.
fn streamed(body: &str) -> Option<Completion> {
    let mut completion = None::<Completion>;
    let mut parts = Parts::default();
    let lines = body.lines().filter_map(|line| line.strip_prefix("data:"));
    for event in lines.filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok()) {
        let completion = completion.get_or_insert_default();
        completion.tokens = tokens(&event).or(completion.tokens);
        let piece = ["/choices/0/delta", "/choices/0/message"]
            .into_iter()
            .find_map(|place| event.pointer(place));
        if let Some(piece) = piece.and_then(Parts::of) {
            parts.add(&piece);
        }
    }
    let mut completion = completion?;
    completion.text = parts.text();
    Some(completion)
}

/// The places in a message where models leave their answer.
#[derive(Default)]
struct Parts {
    content: String,
    refusal: String,
    reasoning: String,
    arguments: String,
}

impl Parts {
    fn of(message: &Value) -> Option<Self> {
        let message = message.as_object()?;
        let part = |name| message.get(name).and_then(text).unwrap_or_default();
        let called = message
            .get("tool_calls")
            .and_then(|calls| calls.pointer("/0/function/arguments"));
        Some(Self {
            content: part("content"),
            refusal: part("refusal"),
            reasoning: part("reasoning_content") + &part("reasoning"),
            arguments: match called {
                Some(Value::String(arguments)) => arguments.clone(),
                Some(arguments) => arguments.to_string(),
                None => String::new(),
            },
        })
    }

    fn add(&mut self, piece: &Self) {
        self.content += &piece.content;
        self.refusal += &piece.refusal;
        self.reasoning += &piece.reasoning;
        self.arguments += &piece.arguments;
    }

    /// The first that says something. Thoughts that hold the answer come last: mostly they hold drafts.
    fn text(self) -> String {
        [self.content, self.arguments, self.refusal, self.reasoning]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default()
    }
}

/// The text of a message, which some endpoints send in parts.
fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Value::as_str))
                .collect(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Option<(String, Option<(u64, u64)>)> {
        completion(body.as_bytes()).map(|read| (read.text, read.tokens))
    }

    #[test]
    fn the_answer_is_found_where_models_leave_it() {
        for (message, text) in [
            (r#"{"content":"a"}"#, "a"),
            (
                r#"{"content":[{"type":"text","text":"a"},{"text":"b"}]}"#,
                "ab",
            ),
            (r#"{"content":null,"refusal":"no"}"#, "no"),
            (r#"{"content":"","reasoning_content":"r"}"#, "r"),
            (r#"{"content":" ","reasoning":"r"}"#, "r"),
            (
                r#"{"content":null,"tool_calls":[{"function":{"arguments":"{}"}}]}"#,
                "{}",
            ),
            (
                r#"{"tool_calls":[{"function":{"arguments":{"facts":[]}}}]}"#,
                r#"{"facts":[]}"#,
            ),
            (r#"{"content":"a","reasoning_content":"r"}"#, "a"),
            ("{}", ""),
        ] {
            let body = format!(
                r#"{{"choices":[{{"message":{message}}}],"usage":{{"prompt_tokens":2,"completion_tokens":3}}}}"#
            );
            assert_eq!(
                read(&body),
                Some((text.to_owned(), Some((2, 3)))),
                "{message}"
            );
        }
        for body in ["", "{}", "[]", "null", r#"{"choices":[]}"#, "data: [DONE]"] {
            assert_eq!(read(body), None, "{body}");
        }
    }

    #[test]
    fn a_stream_is_put_together() {
        let body = concat!(
            ": comment\n\n",
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"facts\\\"\"}}]}\r\n\r\n",
            "data:{\"choices\":[{\"delta\":{\"content\":\":[]}\"}}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":3}}\n\n",
            "data: [DONE]\n\n",
        );
        assert_eq!(
            read(body),
            Some((r#"{"facts":[]}"#.to_owned(), Some((2, 3))))
        );
    }

    #[test]
    fn an_error_with_status_200_is_one() {
        assert!(error(br#"{"error":{"message":"no"}}"#).is_some());
        for body in [r#"{"error":null,"choices":[]}"#, r#"{"choices":[]}"#, "no"] {
            assert_eq!(error(body.as_bytes()), None);
        }
    }
}
