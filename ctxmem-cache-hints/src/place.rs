//! Writes the parts of a prompt into the body of a model call: the agent's base prompt first, which all its users
//! share, and what is remembered of the user after it.

use serde_json::{Value, json};

use crate::openai::breakpoint::{self, Api};
use crate::openrouter::{self, Vendor};
use crate::patch::{CachePatch, Mark};
use crate::target::CacheTarget;
use crate::{BLANK_LINE, anthropic, bedrock, content, openai};

pub(crate) fn place(target: CacheTarget<'_>, body: &mut Value, texts: &[&str], patch: &CachePatch) {
    let ttl = match patch.mark {
        Some(Mark::Anthropic(ttl) | Mark::Bedrock(ttl) | Mark::OpenRouter(ttl)) => Some(ttl),
        Some(Mark::OpenAi(_)) | None => None,
    };
    let marks = matches!(patch.mark, Some(Mark::OpenAi(_)));
    match target {
        CacheTarget::OpenAiChat(_) | CacheTarget::AzureOpenAiChat(_) => {
            breakpoint::place(Api::Chat, body, texts, marks);
        }
        CacheTarget::OpenAiResponses(model) | CacheTarget::AzureOpenAiResponses(model) => {
            place_in_responses(body, texts, marks, openai::takes_options(model));
        }
        CacheTarget::Anthropic(_)
        | CacheTarget::VertexAnthropic(_)
        | CacheTarget::BedrockInvoke(..) => anthropic::place(body, texts, ttl),
        CacheTarget::BedrockConverse(..) => bedrock::place(body, texts, ttl),
        CacheTarget::OpenRouter(model, _) => match openrouter::vendor(model) {
            Vendor::Anthropic | Vendor::Gemini => openrouter::place(body, texts, ttl),
            Vendor::OpenAi => breakpoint::place(Api::Chat, body, texts, marks),
            Vendor::Other => place_one_message(body, texts, "messages"),
        },
        CacheTarget::XaiChat | CacheTarget::OtherChat => {
            place_one_message(body, texts, "messages");
        }
        CacheTarget::XaiResponses => place_one_message(body, texts, "input"),
        CacheTarget::Gemini => place_in_gemini(body, texts),
    }
}

/// As `instructions`, unless the caller has set them, or breakpoints are wanted: those need
/// messages. Messages become part of a conversation that the provider keeps, and would be in it
/// again for each turn, so a request that continues one gets `instructions` in any case.
fn place_in_responses(body: &mut Value, texts: &[&str], marks: bool, takes_breakpoints: bool) {
    let has = |name| body.get(name).is_some_and(|value: &Value| !value.is_null());
    let continues = has("previous_response_id") || has("conversation");
    if !has("instructions") && (continues || !takes_breakpoints) {
        body["instructions"] = texts.join(BLANK_LINE).into();
    } else {
        breakpoint::place(Api::Responses, body, texts, marks);
    }
}

/// As one message: servers of open models often take only one of the developer's.
fn place_one_message(body: &mut Value, texts: &[&str], field: &str) {
    let message = json!({"role": "system", "content": texts.join(BLANK_LINE)});
    content::put_messages_first(body, field, vec![message]);
}

/// Gemini takes the names of its fields in both forms.
fn place_in_gemini(body: &mut Value, texts: &[&str]) {
    let parts = texts.iter().map(|text| json!({"text": text})).collect();
    let other = "system_instruction";
    let name = if body.get(other).is_some() {
        other
    } else {
        "systemInstruction"
    };
    if body.get(name).is_none_or(Value::is_null) {
        body[name] = json!({});
    }
    content::put_first(&mut body[name], "parts", parts, "text");
}
