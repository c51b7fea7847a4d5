//! The client's calls as a trait, so that agents can be tested without a service.

use std::sync::Arc;

use async_trait::async_trait;
use ctxmem_types::{
    Context, DeleteResponse, FactRecord, Grant, GrantRequest, Health, UpdateResponse, UserId,
};

use crate::error::ApiError;
use crate::{Client, Error, ErrorCode, Injected, Interaction};

/// The calls of the service. [`Client`] makes them over HTTP. Write your agent against
/// `Arc<dyn Memory>`, and you can put something of your own around or in place of the client. To test
/// an agent, there is a fake of the service (feature `test-utils`).
///
/// Errors and guarantees are those of the [`Client`]'s methods with the same names.
///
/// ```
/// use ctxmem_client::{Memory, UserId};
///
/// async fn system_prompt(memory: &dyn Memory, user: &UserId) -> String {
///     memory.inject_or_base(user, "You are a helpful assistant.").await.into_prompt()
/// }
/// ```
#[cfg_attr(not(target_family = "wasm"), async_trait)]
#[cfg_attr(target_family = "wasm", async_trait(?Send))]
pub trait Memory: Send + Sync {
    /// Returns a system prompt. See [`Client::inject`].
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error>;

    /// Returns a system prompt and never fails. See [`Client::inject_or_base`].
    async fn inject_or_base(&self, user_id: &UserId, base_prompt: &str) -> Injected {
        Injected::or_base(base_prompt, self.inject(user_id, base_prompt).await)
    }

    /// Returns a system prompt, and what bears on the user's message beside it. See
    /// [`Client::inject_for`]. An implementation without it ignores the message.
    async fn inject_for(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Result<Injected, Error> {
        let _ = message;
        self.inject(user_id, base_prompt).await
    }

    /// The same, and never fails. See [`Client::inject_for_or_base`].
    async fn inject_for_or_base(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Injected {
        let result = self.inject_for(user_id, base_prompt, message).await;
        Injected::or_base(base_prompt, result)
    }

    /// Learns from what a user said and the agent answered. See [`Client::update`].
    async fn update(
        &self,
        user_id: &UserId,
        user_message: &str,
        agent_response: &str,
    ) -> Result<UpdateResponse, Error> {
        let interaction = Interaction::new(user_id.clone(), user_message, agent_response);
        self.update_with(&interaction).await
    }

    /// Learns from an interaction. See [`Client::update_with`].
    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error>;

    /// Reads what is remembered about a user. See [`Client::context`].
    async fn context(&self, user_id: &UserId) -> Result<Context, Error>;

    /// Deletes what is remembered about a user. See [`Client::delete_context`].
    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error>;

    /// Lists the facts about a user one by one. See [`Client::facts`].
    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error>;

    /// Finds the facts about a user that bear on a query. See [`Client::search_facts`]. An
    /// implementation without it answers `NotFound`, as a deployment without it does.
    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        let _ = (user_id, query, limit);
        Err(ApiError::new(404, Some(ErrorCode::NotFound)).into())
    }

    /// Deletes one fact. See [`Client::delete_fact`].
    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<DeleteResponse, Error>;

    /// Creates a grant. See [`Client::create_grant`].
    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error>;

    /// Asks for the health of the service. See [`Client::health`].
    async fn health(&self) -> Result<Health, Error>;
}

/// A shared memory is a memory, too.
#[cfg_attr(not(target_family = "wasm"), async_trait)]
#[cfg_attr(target_family = "wasm", async_trait(?Send))]
impl<M: Memory + ?Sized> Memory for Arc<M> {
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error> {
        (**self).inject(user_id, base_prompt).await
    }

    async fn inject_or_base(&self, user_id: &UserId, base_prompt: &str) -> Injected {
        (**self).inject_or_base(user_id, base_prompt).await
    }

    async fn inject_for(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Result<Injected, Error> {
        (**self).inject_for(user_id, base_prompt, message).await
    }

    async fn inject_for_or_base(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Injected {
        (**self)
            .inject_for_or_base(user_id, base_prompt, message)
            .await
    }

    async fn update(
        &self,
        user_id: &UserId,
        user_message: &str,
        agent_response: &str,
    ) -> Result<UpdateResponse, Error> {
        (**self).update(user_id, user_message, agent_response).await
    }

    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        (**self).update_with(interaction).await
    }

    async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        (**self).context(user_id).await
    }

    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        (**self).delete_context(user_id).await
    }

    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        (**self).facts(user_id).await
    }

    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        (**self).search_facts(user_id, query, limit).await
    }

    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<DeleteResponse, Error> {
        (**self).delete_fact(user_id, fact_id).await
    }

    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        (**self).create_grant(request).await
    }

    async fn health(&self) -> Result<Health, Error> {
        (**self).health().await
    }
}

#[cfg_attr(not(target_family = "wasm"), async_trait)]
#[cfg_attr(target_family = "wasm", async_trait(?Send))]
impl Memory for Client {
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error> {
        Self::inject(self, user_id, base_prompt).await
    }

    async fn inject_or_base(&self, user_id: &UserId, base_prompt: &str) -> Injected {
        Self::inject_or_base(self, user_id, base_prompt).await
    }

    async fn inject_for(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Result<Injected, Error> {
        Self::inject_for(self, user_id, base_prompt, message).await
    }

    async fn inject_for_or_base(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        message: &str,
    ) -> Injected {
        Self::inject_for_or_base(self, user_id, base_prompt, message).await
    }

    async fn update(
        &self,
        user_id: &UserId,
        user_message: &str,
        agent_response: &str,
    ) -> Result<UpdateResponse, Error> {
        Self::update(self, user_id, user_message, agent_response).await
    }

    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        Self::update_with(self, interaction).await
    }

    async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        Self::context(self, user_id).await
    }

    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        Self::delete_context(self, user_id).await
    }

    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        Self::facts(self, user_id).await
    }

    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        Self::search_facts(self, user_id, query, limit).await
    }

    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<DeleteResponse, Error> {
        Self::delete_fact(self, user_id, fact_id).await
    }

    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        Self::create_grant(self, request).await
    }

    async fn health(&self) -> Result<Health, Error> {
        Self::health(self).await
    }
}
