//! Puts what bears on the user's message beside that message, in the body of a model call.
//!
//! It comes before the question, but after what the caller has marked to be cached in the message: a
//! text that changes from turn to turn would make that worthless. It also comes after the results of
//! tools, which Claude wants first in a message: text before them is answered with a 400
//! (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls>).

use serde_json::{Value, json};

use super::content::has_words;
use super::target::CacheTarget;
use crate::BLANK_LINE;

/// How an endpoint writes messages.
struct Form {
    messages: &'static str,
    content: &'static str,
    /// The type of a block of text, where blocks have types.
    text: Option<&'static str>,
}

impl Form {
    fn of(target: CacheTarget<'_>) -> Self {
        let (messages, content, text) = match target {
            CacheTarget::OpenAiResponses(_)
            | CacheTarget::AzureOpenAiResponses(_)
            | CacheTarget::XaiResponses => ("input", "content", Some("input_text")),
            CacheTarget::BedrockConverse(..) => ("messages", "content", None),
            CacheTarget::Gemini => ("contents", "parts", None),
            _ => ("messages", "content", Some("text")),
        };
        Self {
            messages,
            content,
            text,
        }
    }

    fn block(&self, text: &str) -> Value {
        match self.text {
            Some(kind) => json!({"type": kind, "text": text}),
            None => json!({"text": text}),
        }
    }

    fn is_text(&self, block: &Value) -> bool {
        let is_kind = self
            .text
            .is_none_or(|kind| block.get("type").is_some_and(|own| own == kind));
        is_kind && block.get("text").is_some_and(has_words)
    }

    /// Whether the user says something in this content, which may also be the result of a tool.
    fn says(&self, content: &Value) -> bool {
        match content {
            Value::Array(blocks) => blocks.iter().any(|block| self.is_text(block)),
            content => has_words(content),
        }
    }
}

/// Puts a text beside the last thing that the user says. Nothing is changed where they say nothing.
pub(crate) fn put_beside(target: CacheTarget<'_>, body: &mut Value, text: &str) {
    let form = Form::of(target);
    let said = match body.get_mut(form.messages) {
        Some(Value::Array(messages)) => {
            let contents = messages
                .iter_mut()
                .rev()
                .filter(|message| is_the_users(message))
                .filter_map(|message| message.get_mut(form.content));
            contents.into_iter().find(|content| form.says(content))
        }
        // The input of a Responses request may be the message itself.
        Some(input) if has_words(input) => Some(input),
        _ => None,
    };
    match said {
        Some(Value::String(said)) => *said = format!("{text}{BLANK_LINE}{said}"),
        Some(Value::Array(blocks)) => {
            let start = blocks
                .iter()
                .rposition(|block| is_marked(block) || is_tool_result(block))
                .map_or(0, |last| last + 1);
            let question = blocks
                .iter()
                .skip(start)
                .position(|block| form.is_text(block));
            let place = question.map_or(blocks.len(), |after| start + after);
            blocks.insert(place, form.block(text));
        }
        _ => {}
    }
}

/// Gemini takes a message without a role as the user's.
fn is_the_users(message: &Value) -> bool {
    let is_message = message.get("type").is_none_or(|kind| kind == "message");
    is_message && message.get("role").is_none_or(|role| role == "user")
}

fn is_marked(block: &Value) -> bool {
    ["cache_control", "prompt_cache_breakpoint", "cachePoint"]
        .iter()
        .any(|mark| block.get(mark).is_some())
}

fn is_tool_result(block: &Value) -> bool {
    let has_type = block.get("type").is_some_and(|kind| kind == "tool_result");
    has_type || block.get("toolResult").is_some() || block.get("functionResponse").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnthropicTtl;

    const NOTES: &str = "Notes:\n- Keeps bees";
    const CHAT: CacheTarget<'static> = CacheTarget::OpenAiChat("gpt-5.6");
    const CLAUDE: CacheTarget<'static> = CacheTarget::Anthropic(AnthropicTtl::FiveMinutes);
    const BEDROCK: CacheTarget<'static> =
        CacheTarget::BedrockConverse("us.anthropic.claude-opus-5", AnthropicTtl::FiveMinutes);

    fn put(target: CacheTarget<'_>, mut body: Value) -> Value {
        put_beside(target, &mut body, NOTES);
        body
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn said(content: Value) -> Value {
        let mut body = json!({"messages": [{"role": "user"}]});
        body["messages"][0]["content"] = content;
        body
    }

    #[test]
    fn it_stands_before_the_last_thing_that_the_user_says() {
        let conversation = |last: &str| {
            json!({"messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi"},
                {"role": "user", "content": last},
                {"role": "assistant", "content": null, "tool_calls": []},
                {"role": "tool", "content": "sunny"},
            ]})
        };
        for target in [
            CHAT,
            CacheTarget::AzureOpenAiChat("gpt-5.4"),
            CacheTarget::OpenRouter("deepseek/deepseek-v4", AnthropicTtl::OneHour),
            CacheTarget::XaiChat,
            CacheTarget::OtherChat,
        ] {
            assert_eq!(
                put(target, conversation("And my bees?")),
                conversation("Notes:\n- Keeps bees\n\nAnd my bees?"),
                "{target:?}"
            );
        }
        let blocks = said(json!([{"type": "image_url"}, text("And my bees?")]));
        let expected = said(json!([{"type": "image_url"}, text(NOTES), text("And my bees?")]));
        assert_eq!(put(CHAT, blocks), expected);
    }

    #[test]
    fn each_endpoint_gets_it_in_its_own_form() {
        let both = "Notes:\n- Keeps bees\n\nAnd my bees?";
        for target in [
            CacheTarget::OpenAiResponses("gpt-5.4"),
            CacheTarget::AzureOpenAiResponses("gpt-5.4"),
            CacheTarget::XaiResponses,
        ] {
            let body = json!({"input": "And my bees?"});
            assert_eq!(put(target, body), json!({"input": both}));
            let block = |text| json!({"type": "input_text", "text": text});
            let input = |content| {
                json!({"input": [
                    {"type": "message", "role": "user", "content": content},
                    {"type": "function_call_output", "call_id": "c", "output": "sunny"},
                ]})
            };
            assert_eq!(
                put(target, input(json!([block("And my bees?")]))),
                input(json!([block(NOTES), block("And my bees?")]))
            );
        }
        let parts = |parts| json!({"messages": [{"role": "user", "content": parts}]});
        let question = json!({"text": "And my bees?"});
        assert_eq!(
            put(BEDROCK, parts(json!([question]))),
            parts(json!([{"text": NOTES}, question]))
        );
        for role in [json!({"role": "user"}), json!({})] {
            let contents = |parts| {
                let mut message = role.clone();
                message["parts"] = parts;
                json!({"contents": [message, {"role": "model", "parts": [{"text": "Well."}]}]})
            };
            assert_eq!(
                put(CacheTarget::Gemini, contents(json!([question]))),
                contents(json!([{"text": NOTES}, question]))
            );
        }
    }

    #[test]
    fn it_stands_behind_what_the_caller_has_marked_to_be_cached() {
        let document = || {
            let mut block = text("A long document.");
            block["cache_control"] = json!({"type": "ephemeral"});
            block
        };
        assert_eq!(
            put(CLAUDE, said(json!([document(), text("And my bees?")]))),
            said(json!([document(), text(NOTES), text("And my bees?")]))
        );
        // As agents do that have the whole conversation cached.
        assert_eq!(
            put(CLAUDE, said(json!([document()]))),
            said(json!([document(), text(NOTES)]))
        );
        let marked = json!({
            "type": "text", "text": "And my bees?", "prompt_cache_breakpoint": {"mode": "explicit"},
        });
        assert_eq!(
            put(CHAT, said(json!([marked]))),
            said(json!([marked, text(NOTES)]))
        );
        let point = json!({"cachePoint": {"type": "default"}});
        let question = json!({"text": "And my bees?"});
        assert_eq!(
            put(
                BEDROCK,
                said(json!([{"text": "A document."}, point, question]))
            ),
            said(json!([{"text": "A document."}, point, {"text": NOTES}, question]))
        );
    }

    #[test]
    fn results_of_tools_are_nothing_that_the_user_says() {
        let result = json!({"type": "tool_result", "tool_use_id": "t", "content": "sunny"});
        let body = |first: Value, last: Value| {
            json!({"messages": [
                {"role": "user", "content": first},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t"}]},
                {"role": "user", "content": last},
            ]})
        };
        let first = json!([text("And my bees?")]);
        let told = json!([text(NOTES), text("And my bees?")]);
        assert_eq!(
            put(CLAUDE, body(first.clone(), json!([result]))),
            body(told, json!([result]))
        );
        assert_eq!(
            put(CLAUDE, body(first.clone(), json!([result, text("And?")]))),
            body(first, json!([result, text(NOTES), text("And?")]))
        );
        let result = json!({"toolResult": {"toolUseId": "t"}});
        let question = json!({"text": "And?"});
        assert_eq!(
            put(BEDROCK, said(json!([result, question]))),
            said(json!([result, {"text": NOTES}, question]))
        );
        let result = json!({"functionResponse": {"name": "t"}});
        let contents = |first: Value| {
            json!({"contents": [
                {"role": "user", "parts": first},
                {"role": "user", "parts": [result]},
            ]})
        };
        assert_eq!(
            put(CacheTarget::Gemini, contents(json!([question]))),
            contents(json!([{"text": NOTES}, question]))
        );
    }

    #[test]
    fn where_the_user_says_nothing_there_is_nothing_beside_it() {
        for body in [
            json!({}),
            json!([]),
            json!({"messages": null}),
            json!({"messages": [], "input": " ", "contents": 3}),
            json!({"messages": [{"role": "system", "content": "Be brief."}]}),
            json!({"messages": [{"role": "assistant", "content": "Hi"}]}),
            json!({"messages": [{"role": "user"}, {"role": "user", "content": " "}, 3]}),
            json!({"messages": [{"role": "user", "content": [{"type": "image"}]}]}),
            json!({"messages": [{"role": "user", "content": {"odd": true}}]}),
        ] {
            for target in [
                CHAT,
                CLAUDE,
                BEDROCK,
                CacheTarget::Gemini,
                CacheTarget::XaiResponses,
            ] {
                assert_eq!(put(target, body.clone()), body, "{target:?}");
            }
        }
    }
}
