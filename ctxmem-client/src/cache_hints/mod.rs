//! Cache hints: what makes a model provider cache a prompt. The rules are those of the crate `ctxmem-cache-hints`.

#[cfg(feature = "async-openai")]
mod async_openai;
#[cfg(test)]
mod bodies;

use ctxmem_types::UserId;
use serde_json::Value;

pub use ctxmem_cache_hints::{
    AnthropicTtl, CacheKey, CachePatch, CacheTarget, Prompt, RULES, Rule,
};

use crate::{Client, Injected};

impl Injected {
    /// What to add to a model call for this target.
    ///
    /// It is empty unless the service recommends caching (see
    /// [`cache_hint`](Self::cache_hint)) and the target is known to accept the recommendation.
    ///
    /// ```no_run
    /// use ctxmem_client::{CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// let patch = system.cache_patch(CacheTarget::OpenAiChat("gpt-5.4"));
    /// for (name, value) in patch.fields() {
    ///     println!("{name}: {value}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn cache_patch(&self, target: CacheTarget<'_>) -> CachePatch {
        self.in_parts().patch(target)
    }

    /// Adds the fields of [`cache_patch`](Self::cache_patch) to the body of a model call, and a
    /// breakpoint to its system part, as [`CachePatch::apply_to`] does: what is already there is
    /// kept, and without a recommendation nothing changes.
    ///
    /// The body has the whole [`prompt`](Self::prompt) in its system part.
    /// [`place_in`](Self::place_in) is the form for a body without a system part.
    ///
    /// ```no_run
    /// use ctxmem_client::{CacheTarget, Client, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let system = client.inject(&user, "You are a helpful assistant.").await?;
    /// let mut body = serde_json::json!({
    ///     "model": "gpt-5.4",
    ///     "messages": [{"role": "system", "content": system.prompt()}],
    /// });
    /// system.apply_to(CacheTarget::OpenAiChat("gpt-5.4"), &mut body);
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_to(&self, target: CacheTarget<'_>, body: &mut Value) {
        self.cache_patch(target).apply_to(body);
    }

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
        self.in_parts().place_in(target, body);
    }

    fn in_parts(&self) -> Prompt<'_> {
        let parts = self.parts();
        let mut prompt = Prompt::new(parts.base);
        prompt.context = parts.context;
        prompt.relevant = self.relevant();
        prompt.hint = self.cache_hint();
        prompt.key = self.cache_key();
        prompt.is_mixed = parts.context.is_none() && self.is_enriched() && !self.is_seeded();
        prompt
    }
}

impl Client {
    /// The key for a user's calls of a model provider.
    pub(crate) fn cache_key(&self, user_id: &UserId) -> Option<CacheKey> {
        let authorization = self.key()?.as_bytes();
        let api_key = authorization.strip_prefix(b"Bearer ");
        Some(CacheKey::derive(api_key.unwrap_or(authorization), user_id))
    }
}
