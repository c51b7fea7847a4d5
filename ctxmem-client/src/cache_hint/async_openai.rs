//! Cache hints in the typed requests of the crate `async-openai`.
//!
//! The rules are those for JSON bodies; this module only transfers the result. It reads values
//! into the crate's types by their names in JSON, so that it depends on two request types and
//! their fields only.

use async_openai::types::chat::CreateChatCompletionRequest;
use async_openai::types::responses::CreateResponse;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::openai::{OPTIONS, RETENTION};
use super::{CachePatch, CacheTarget};
use crate::Injected;

/// With the feature `async-openai`. The types are those of version 0.43; a minor version of
/// this crate may move to a later one.
impl Injected {
    /// Adds the fields of [`cache_patch`](Self::cache_patch) for the request's model to a
    /// request of the Responses API, as [`apply_to`](Self::apply_to) does for a body. A
    /// request without a model is not changed.
    ///
    /// ```no_run
    /// use async_openai::types::responses::CreateResponseArgs;
    ///
    /// # async fn example(
    /// #     memory: ctxmem_client::Client,
    /// #     user: ctxmem_client::UserId,
    /// #     openai: async_openai::Client<async_openai::config::OpenAIConfig>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let system = memory.inject(&user, "You are a helpful assistant.").await?;
    /// let mut request = CreateResponseArgs::default()
    ///     .model("gpt-5.4")
    ///     .instructions(system.prompt())
    ///     .input("How do I deploy this?")
    ///     .build()?;
    /// system.apply_to_response(&mut request);
    /// let answer = openai.responses().create(request).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[expect(
        deprecated,
        reason = "models before 5.6 take prompt_cache_retention only"
    )]
    pub fn apply_to_response(&self, request: &mut CreateResponse) {
        let Some(model) = &request.model else { return };
        let patch = self.cache_patch(CacheTarget::OpenAiResponses(model));
        // A model takes only one of them and rejects a call with both.
        if request.prompt_cache_retention.is_none() && request.prompt_cache_options.is_none() {
            request.prompt_cache_retention = typed(&patch, RETENTION);
            request.prompt_cache_options = typed(&patch, OPTIONS);
        }
    }

    /// The body of a request of the Chat Completions API, with the fields of
    /// [`cache_patch`](Self::cache_patch) for the request's model.
    ///
    /// The crate's typed chat request has no field `prompt_cache_retention`. Send the body with
    /// `create_byot`, which takes any value (feature `byot` of the crate; for
    /// `create_stream_byot` set `stream` to true).
    ///
    /// # Errors
    ///
    /// The error of `serde_json` if the request can't be written as JSON.
    ///
    /// ```no_run
    /// use async_openai::types::chat::{
    ///     ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage,
    ///     CreateChatCompletionRequestArgs, CreateChatCompletionResponse,
    /// };
    ///
    /// # async fn example(
    /// #     memory: ctxmem_client::Client,
    /// #     user: ctxmem_client::UserId,
    /// #     openai: async_openai::Client<async_openai::config::OpenAIConfig>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let system = memory.inject(&user, "You are a helpful assistant.").await?;
    /// let request = CreateChatCompletionRequestArgs::default()
    ///     .model("gpt-5.4")
    ///     .messages([
    ///         ChatCompletionRequestSystemMessage::from(system.prompt()).into(),
    ///         ChatCompletionRequestUserMessage::from("How do I deploy this?").into(),
    ///     ])
    ///     .build()?;
    /// let body = system.chat_body(&request)?;
    /// let answer: CreateChatCompletionResponse = openai.chat().create_byot(body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn chat_body(
        &self,
        request: &CreateChatCompletionRequest,
    ) -> Result<Value, serde_json::Error> {
        let mut body = serde_json::to_value(request)?;
        self.apply_to(CacheTarget::OpenAiChat(&request.model), &mut body);
        Ok(body)
    }

    /// Adds the fields that a typed request of the Chat Completions API has, which is only
    /// `prompt_cache_options` for gpt-5.6 and later. For earlier models it adds nothing: use
    /// [`chat_body`](Self::chat_body).
    ///
    /// ```no_run
    /// use async_openai::types::chat::CreateChatCompletionRequest;
    /// use ctxmem_client::Injected;
    ///
    /// # async fn example(
    /// #     system: Injected,
    /// #     mut request: CreateChatCompletionRequest,
    /// #     openai: async_openai::Client<async_openai::config::OpenAIConfig>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// system.apply_to_chat(&mut request);
    /// let answer = openai.chat().create(request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_to_chat(&self, request: &mut CreateChatCompletionRequest) {
        let patch = self.cache_patch(CacheTarget::OpenAiChat(&request.model));
        if request.prompt_cache_options.is_none() {
            request.prompt_cache_options = typed(&patch, OPTIONS);
        }
    }
}

/// A field of the patch in the crate's type; `None` if that type does not know the value.
fn typed<T: DeserializeOwned>(patch: &CachePatch, name: &str) -> Option<T> {
    let value = patch.as_map().get(name)?;
    serde_json::from_value(value.clone()).ok()
}
