//! Breakpoints in the developer's messages of OpenAI's endpoints, for GPT-5.6 and later.
//!
//! Source: <https://developers.openai.com/api/docs/guides/prompt-caching>:
//!
//! - "Choose breakpoints deliberately. Place explicit markers at the end of stable content", "by
//!   adding `prompt_cache_breakpoint: { "mode": "explicit" }` to a supported content block inside
//!   an input message". Supported are `text` blocks in Chat Completions and `input_text` blocks in
//!   Responses, among others; "a marker on an unsupported or non-cacheable block returns a
//!   `400 invalid_request_error`".
//! - "Top-level `instructions` cannot contain an explicit breakpoint. To mark reusable developer
//!   instructions, place them in an `input_text` block inside a developer message."
//! - "You can add explicit breakpoints without turning off the implicit breakpoint; an implicit
//!   breakpoint uses one of the four cache write slots to leave three usable explicit cache write
//!   slots." More markers are no error: "the latest" are written.
//! - In mode `explicit`, "when no explicit breakpoints are placed, the request does not use prompt
//!   caching": whoever has set that mode decides where breakpoints are.
//!   It is not set here: it saves the writes of the latest message, and loses the reads of growing
//!   conversations.

use serde_json::{Value, json};

use super::{OPTIONS, RETENTION};
use crate::content;

const BREAKPOINT: &str = "prompt_cache_breakpoint";

/// The endpoints, whose blocks of text have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Chat,
    Responses,
}

impl Api {
    fn messages(self) -> &'static str {
        match self {
            Self::Chat => "messages",
            Self::Responses => "input",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Chat => "text",
            Self::Responses => "input_text",
        }
    }

    fn role(self) -> &'static str {
        match self {
            Self::Chat => "system",
            Self::Responses => "developer",
        }
    }
}

/// Marks the end of the developer's first messages, unless the caller has marked them.
pub(crate) fn mark(api: Api, body: &mut Value) {
    if !may_mark(body) {
        return;
    }
    let Some(Value::Array(messages)) = body.get_mut(api.messages()) else {
        return;
    };
    let system = content::system_part(messages);
    if !system.iter().any(is_marked)
        && let Some(content) = system.last_mut().and_then(|last| last.get_mut("content"))
    {
        content::mark_end(content, api.text(), BREAKPOINT, marker());
    }
}

/// Writes these texts as messages of the developer's before the others, each with a breakpoint
/// if `marks` and the caller has not decided otherwise.
pub(crate) fn place(api: Api, body: &mut Value, texts: &[&str], marks: bool) {
    let marks = marks && may_mark(body);
    let message = |text: &&str| {
        let mut content = Value::from(*text);
        if marks {
            content::mark_end(&mut content, api.text(), BREAKPOINT, marker());
        }
        json!({"role": api.role(), "content": content})
    };
    let messages = texts.iter().map(message).collect();
    content::put_messages_first(body, api.messages(), messages);
}

/// Whether the caller has left breakpoints to the defaults. The older field is for models that
/// take none.
fn may_mark(body: &Value) -> bool {
    let mode = body.get(OPTIONS).and_then(|options| options.get("mode"));
    mode.is_none_or(|mode| mode != "explicit") && body.get(RETENTION).is_none()
}

fn is_marked(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    blocks.is_some_and(|blocks| blocks.iter().any(|block| block.get(BREAKPOINT).is_some()))
}

fn marker() -> Value {
    json!({"mode": "explicit"})
}
