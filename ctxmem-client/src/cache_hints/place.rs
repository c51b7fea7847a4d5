//! Writes the two parts of a prompt into the body of a model call: the agent's base prompt
//! first, which all its users share, and what is remembered of the user after it. What bears on the
//! user's message goes beside that.

use serde_json::{Value, json};

use super::openai::breakpoint::{self, Api};
use super::openrouter::{self, Vendor};
use super::patch::{CachePatch, Mark};
use super::target::CacheTarget;
use super::{anthropic, bedrock, content, mark, openai, user_message};
use crate::Injected;
use crate::parts::BLANK_LINE;

impl Injected {
    /// Writes the system prompt into the body of a model call, in the form of this target: the
    /// agent's base prompt first, what is remembered of the user after it (see
    /// [`parts`](Self::parts)), each with a breakpoint of its own where the provider has them.
    /// So a provider reads the base prompt from its cache for all users. That pays for base
    /// prompts of a thousand tokens and more; shorter ones are not cached by themselves.
    ///
    /// Call it once, on a body without a system prompt, instead of
    /// [`apply_to`](Self::apply_to). If there is one, it stays, after the parts.
    ///
    /// What bears on the user's message ([`relevant`](Self::relevant)), if there is anything, goes
    /// into the last message in which the user says something, before their words: into this body
    /// alone, so that the history that you keep stays as it was said. In a body without such a
    /// message it is left out.
    ///
    /// The base prompt alone, which is what there is of users without memory and in an outage, gets
    /// its breakpoint too: it is yours, and takes no recommendation of the service. What is
    /// remembered of a user gets one if the service recommends it. OpenAI is sent no
    /// `prompt_cache_key`, because caches are not shared between keys.
    ///
    /// ```no_run
    /// use ctxmem_client::cache_hints::AnthropicTtl;
    /// use ctxmem_client::{CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId, base_prompt: &str) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, base_prompt).await?;
    /// let mut body = serde_json::json!({
    ///     "model": "claude-opus-5",
    ///     "max_tokens": 1024,
    ///     "messages": [{"role": "user", "content": "How do I deploy this?"}],
    /// });
    /// system.place_in(CacheTarget::Anthropic(AnthropicTtl::FiveMinutes), &mut body);
    /// # Ok(())
    /// # }
    /// ```
    pub fn place_in(&self, target: CacheTarget<'_>, body: &mut Value) {
        if !body.is_object() {
            return;
        }
        let parts = self.parts();
        let texts: Vec<&str> = [Some(parts.base), parts.context]
            .into_iter()
            .flatten()
            .filter(|text| !text.trim().is_empty())
            .collect();
        let mut patch = self.cache_patch(target);
        let is_base = !self.is_enriched() || self.is_seeded();
        if is_base && patch.mark.is_none() {
            patch.mark = mark(target);
        }
        // What can't be split is not shared in any case.
        if parts.context.is_some() && separates_by_key(target) {
            patch.fields.retain(|name, _| name != openai::KEY);
        }
        if !texts.is_empty() {
            place(target, body, &texts, &patch);
        }
        patch.add_fields(body);
        if let Some(relevant) = self.relevant() {
            user_message::put_beside(target, body, relevant);
        }
    }
}

/// Whether users with keys of their own don't read each other's caches. "At each breakpoint, the
/// service matches the key with the exact prompt prefix", and a key "separates cache reuse
/// between groups of requests": <https://developers.openai.com/api/docs/guides/prompt-caching>.
/// Elsewhere it only chooses the server.
fn separates_by_key(target: CacheTarget<'_>) -> bool {
    match target {
        CacheTarget::OpenAiChat(_)
        | CacheTarget::OpenAiResponses(_)
        | CacheTarget::AzureOpenAiChat(_)
        | CacheTarget::AzureOpenAiResponses(_) => true,
        CacheTarget::OpenRouter(model, _) => openrouter::separates_by_key(model),
        _ => false,
    }
}

fn place(target: CacheTarget<'_>, body: &mut Value, texts: &[&str], patch: &CachePatch) {
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
    if let Some(input) = body.get_mut(field)
        && input.is_string()
    {
        *input = json!([{"role": "user", "content": input}]);
    }
    let message = json!({"role": "system", "content": texts.join(BLANK_LINE)});
    content::put_first(body, field, vec![message], "text");
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
