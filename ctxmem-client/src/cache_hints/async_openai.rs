//! Cache hints in the typed requests of the crate `async-openai`.
//!
//! The rules are those for JSON bodies: the request is written as its body, patched, and read
//! again. It is replaced only if it then is written as exactly that body, so that nothing of it
//! can get lost.

use async_openai::types::chat::CreateChatCompletionRequest;
use async_openai::types::responses::CreateResponse;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{CachePatch, CacheTarget};
use crate::Injected;

/// With the feature `async-openai`. The types are those of version 0.43; a minor version of
/// this crate may move to a later one.
impl Injected {
    /// Adds what [`cache_patch`](Self::cache_patch) has for the request's model to a request of
    /// the Responses API, as [`apply_to`](Self::apply_to) does for a body. A request without a
    /// model is not changed.
    ///
    /// A breakpoint is placed in a developer's message at the beginning of `input`, not in
    /// `instructions`, which can't have one.
    ///
    /// ```no_run
    /// use async_openai::types::responses::CreateResponseArgs;
    ///
    /// # async fn example(
    /// #     memory: ctxmem_client::Client,
    /// #     user: ctxmem_client::UserId,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let system = memory.inject(&user, "You are a helpful assistant.").await?;
    /// let mut request = CreateResponseArgs::default()
    ///     .model("gpt-5.4")
    ///     .instructions(system.prompt())
    ///     .input("How do I deploy this?")
    ///     .build()?;
    /// system.apply_to_response(&mut request);
    /// // let answer = openai.responses().create(request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_to_response(&self, request: &mut CreateResponse) {
        if let Some(model) = &request.model {
            let patch = self.cache_patch(CacheTarget::OpenAiResponses(model));
            apply(&patch, request);
        }
    }

    /// The body of a request of the Chat Completions API, with what
    /// [`cache_patch`](Self::cache_patch) has for the request's model.
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
    ///     CreateChatCompletionRequestArgs,
    /// };
    ///
    /// # async fn example(
    /// #     memory: ctxmem_client::Client,
    /// #     user: ctxmem_client::UserId,
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
    /// // let answer: CreateChatCompletionResponse = openai.chat().create_byot(body).await?;
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

    /// Adds what a typed request of the Chat Completions API has a place for: everything for
    /// gpt-5.6 and later; for earlier models the key alone, without `prompt_cache_retention`. Use
    /// [`chat_body`](Self::chat_body) for those.
    ///
    /// ```no_run
    /// use async_openai::types::chat::CreateChatCompletionRequest;
    /// use ctxmem_client::Injected;
    ///
    /// # fn example(system: Injected, mut request: CreateChatCompletionRequest) {
    /// system.apply_to_chat(&mut request);
    /// // let answer = openai.chat().create(request).await?;
    /// # }
    /// ```
    pub fn apply_to_chat(&self, request: &mut CreateChatCompletionRequest) {
        let mut patch = self.cache_patch(CacheTarget::OpenAiChat(&request.model));
        patch.remove_field("prompt_cache_retention");
        apply(&patch, request);
    }
}

fn apply<T: Serialize + DeserializeOwned>(patch: &CachePatch, request: &mut T) {
    if patch.is_empty() {
        return;
    }
    let Ok(mut body) = serde_json::to_value(&*request) else {
        return;
    };
    patch.apply_to(&mut body);
    if let Ok(patched) = serde_json::from_value::<T>(body.clone())
        && serde_json::to_value(&patched).is_ok_and(|written| written == body)
    {
        *request = patched;
    }
}
