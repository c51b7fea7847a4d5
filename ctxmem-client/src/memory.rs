//! The calls as a trait, so that agents can be tested without a service.

use std::sync::Arc;

use async_trait::async_trait;
use ctxmem_types::{
    Context, DeleteResponse, Grant, GrantRequest, Health, RevokeResponse, UpdateResponse, UserId,
};

use crate::{Client, Error, Injected, Interaction};

/// The calls of the interface. [`Client`] makes them over HTTP; write your agent against
/// `Arc<dyn Memory>` and it can be tested with a fake (feature `test-utils`).
///
/// Errors and guarantees are those of the methods of [`Client`] with the same names.
#[cfg_attr(not(target_family = "wasm"), async_trait)]
#[cfg_attr(target_family = "wasm", async_trait(?Send))]
pub trait Memory: Send + Sync {
    /// A system prompt: see [`Client::inject`].
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error>;

    /// A system prompt, whatever happens: see [`Client::inject_or_base`].
    async fn inject_or_base(&self, user_id: &UserId, base_prompt: &str) -> Injected {
        Injected::or_base(base_prompt, self.inject(user_id, base_prompt).await)
    }

    /// Learning from an interaction: see [`Client::update_with`].
    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error>;

    /// All that is remembered: see [`Client::context`].
    async fn context(&self, user_id: &UserId) -> Result<Context, Error>;

    /// Forgetting everything: see [`Client::delete_context`].
    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error>;

    /// Creating a grant: see [`Client::create_grant`].
    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error>;

    /// Revoking a grant: see [`Client::revoke_grant`].
    async fn revoke_grant(&self, grant_id: &str) -> Result<RevokeResponse, Error>;

    /// How the service is: see [`Client::health`].
    async fn health(&self) -> Result<Health, Error>;
}

/// Whatever points to a memory is one.
#[cfg_attr(not(target_family = "wasm"), async_trait)]
#[cfg_attr(target_family = "wasm", async_trait(?Send))]
impl<M: Memory + ?Sized> Memory for Arc<M> {
    async fn inject(&self, user_id: &UserId, base_prompt: &str) -> Result<Injected, Error> {
        (**self).inject(user_id, base_prompt).await
    }

    async fn inject_or_base(&self, user_id: &UserId, base_prompt: &str) -> Injected {
        (**self).inject_or_base(user_id, base_prompt).await
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

    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        (**self).create_grant(request).await
    }

    async fn revoke_grant(&self, grant_id: &str) -> Result<RevokeResponse, Error> {
        (**self).revoke_grant(grant_id).await
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

    async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        Self::update_with(self, interaction).await
    }

    async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        Self::context(self, user_id).await
    }

    async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        Self::delete_context(self, user_id).await
    }

    async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        Self::create_grant(self, request).await
    }

    async fn revoke_grant(&self, grant_id: &str) -> Result<RevokeResponse, Error> {
        Self::revoke_grant(self, grant_id).await
    }

    async fn health(&self) -> Result<Health, Error> {
        Self::health(self).await
    }
}
