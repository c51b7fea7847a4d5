//! Cache hints in the typed requests of the crate `async-openai`.
//!
//! What is sent is decided in one place, for bodies; here it is only carried over. Values
//! are read into the crate's types by their names on the wire, so that two request types and
//! their fields are all that this depends on.

use async_openai::types::chat::CreateChatCompletionRequest;
use async_openai::types::responses::CreateResponse;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::openai::{OPTIONS, RETENTION};
use super::{CachePatch, CacheTarget};
use crate::Injected;

/// With the feature `async-openai`; its types are those of version 0.43, and a later one may
/// come with a minor version of this crate.
impl Injected {
    /// Adds what [`cache_patch`](Self::cache_patch) holds for the request's model to a
    /// request of the Responses API, as [`apply_to`](Self::apply_to) does for a body. A
    /// request that names no model stays as it is.
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
        // A model takes one of them, and a call with both is refused.
        if request.prompt_cache_retention.is_none() && request.prompt_cache_options.is_none() {
            request.prompt_cache_retention = typed(&patch, RETENTION);
            request.prompt_cache_options = typed(&patch, OPTIONS);
        }
    }

    /// The body of a request of the Chat Completions API, with what
    /// [`cache_patch`](Self::cache_patch) holds for the request's model.
    ///
    /// The crate's typed chat request has no field `prompt_cache_retention`, so the body is
    /// sent by `create_byot`, which takes any value (feature `byot` of the crate; for
    /// `create_stream_byot` set `stream` to true).
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

    /// Adds what a typed request of the Chat Completions API has a field for, which is
    /// `prompt_cache_options` for gpt-5.6 and later. For the models before them use
    /// [`chat_body`](Self::chat_body): here nothing is added for them.
    pub fn apply_to_chat(&self, request: &mut CreateChatCompletionRequest) {
        let patch = self.cache_patch(CacheTarget::OpenAiChat(&request.model));
        if request.prompt_cache_options.is_none() {
            request.prompt_cache_options = typed(&patch, OPTIONS);
        }
    }
}

/// A field of the patch in the crate's type; `None` where that type does not know the value.
fn typed<T: DeserializeOwned>(patch: &CachePatch, name: &str) -> Option<T> {
    let value = patch.as_map().get(name)?;
    serde_json::from_value(value.clone()).ok()
}
