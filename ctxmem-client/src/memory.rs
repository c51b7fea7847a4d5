//! The client's calls as a trait, so that agents can be tested without a service.

use std::pin::Pin;
use std::sync::Arc;

use ctxmem_types::{
    Context, DeleteResponse, FactRecord, Grant, GrantRequest, Health, UpdateResponse, UserId,
};

use crate::error::ApiError;
use crate::{Client, Error, ErrorCode, Injected, Interaction};

/// What the methods of [`Memory`] and [`Transport`](crate::Transport) return: `Box::pin(async move { … })`.
#[cfg(not(target_family = "wasm"))]
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// What the methods of [`Memory`] and [`Transport`](crate::Transport) return: `Box::pin(async move { … })`.
#[cfg(target_family = "wasm")]
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

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
pub trait Memory: Send + Sync {
    /// Returns a system prompt. See [`Client::inject`].
    fn inject<'a>(
        &'a self,
        user_id: &'a UserId,
        base_prompt: &'a str,
    ) -> BoxFuture<'a, Result<Injected, Error>>;

    /// Returns a system prompt and never fails. See [`Client::inject_or_base`].
    fn inject_or_base<'a>(
        &'a self,
        user_id: &'a UserId,
        base_prompt: &'a str,
    ) -> BoxFuture<'a, Injected> {
        Box::pin(async move {
            let result = self.inject(user_id, base_prompt).await;
            Injected::or_base(base_prompt, result)
        })
    }

    /// Returns a system prompt, and what bears on the user's message beside it. See
    /// [`Client::inject_for`]. An implementation without it ignores the message.
    fn inject_for<'a>(
        &'a self,
        user_id: &'a UserId,
        base_prompt: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<Injected, Error>> {
        let _ = message;
        self.inject(user_id, base_prompt)
    }

    /// The same, and never fails. See [`Client::inject_for_or_base`].
    fn inject_for_or_base<'a>(
        &'a self,
        user_id: &'a UserId,
        base_prompt: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Injected> {
        Box::pin(async move {
            let result = self.inject_for(user_id, base_prompt, message).await;
            Injected::or_base(base_prompt, result)
        })
    }

    /// Learns from what a user said and the agent answered. See [`Client::update`].
    fn update<'a>(
        &'a self,
        user_id: &'a UserId,
        user_message: &'a str,
        agent_response: &'a str,
    ) -> BoxFuture<'a, Result<UpdateResponse, Error>> {
        Box::pin(async move {
            let interaction = Interaction::new(user_id.clone(), user_message, agent_response);
            self.update_with(&interaction).await
        })
    }

    /// Learns from an interaction. See [`Client::update_with`].
    fn update_with<'a>(
        &'a self,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<UpdateResponse, Error>>;

    /// Reads what is remembered about a user. See [`Client::context`].
    fn context<'a>(&'a self, user_id: &'a UserId) -> BoxFuture<'a, Result<Context, Error>>;

    /// Deletes what is remembered about a user. See [`Client::delete_context`].
    fn delete_context<'a>(
        &'a self,
        user_id: &'a UserId,
    ) -> BoxFuture<'a, Result<DeleteResponse, Error>>;

    /// Lists the facts about a user one by one. See [`Client::facts`].
    fn facts<'a>(&'a self, user_id: &'a UserId) -> BoxFuture<'a, Result<Vec<FactRecord>, Error>>;

    /// Finds the facts about a user that bear on a query. See [`Client::search_facts`]. An
    /// implementation without it answers `NotFound`, as a deployment without it does.
    fn search_facts<'a>(
        &'a self,
        user_id: &'a UserId,
        query: &'a str,
        limit: Option<u32>,
    ) -> BoxFuture<'a, Result<Vec<FactRecord>, Error>> {
        let _ = (user_id, query, limit);
        Box::pin(async { Err(ApiError::new(404, Some(ErrorCode::NotFound)).into()) })
    }

    /// Deletes one fact. See [`Client::delete_fact`].
    fn delete_fact<'a>(
        &'a self,
        user_id: &'a UserId,
        fact_id: &'a str,
    ) -> BoxFuture<'a, Result<DeleteResponse, Error>>;

    /// Creates a grant. See [`Client::create_grant`].
    fn create_grant<'a>(&'a self, request: &'a GrantRequest)
    -> BoxFuture<'a, Result<Grant, Error>>;

    /// Asks for the health of the service. See [`Client::health`].
    fn health(&self) -> BoxFuture<'_, Result<Health, Error>>;
}

/// The calls of the trait by what a client, or a memory that is shared, has under the same names.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),+) -> $answer:ty;)+) => {
        /// A shared memory is a memory, too.
        impl<M: Memory + ?Sized> Memory for Arc<M> {
            $(fn $name<'a>(&'a self, $($argument: $type),+) -> BoxFuture<'a, $answer> {
                (**self).$name($($argument),+)
            })+

            fn health(&self) -> BoxFuture<'_, Result<Health, Error>> {
                (**self).health()
            }
        }

        impl Memory for Client {
            $(fn $name<'a>(&'a self, $($argument: $type),+) -> BoxFuture<'a, $answer> {
                Box::pin(Self::$name(self, $($argument),+))
            })+

            fn health(&self) -> BoxFuture<'_, Result<Health, Error>> {
                Box::pin(Self::health(self))
            }
        }
    };
}

calls! {
    inject(user_id: &'a UserId, base_prompt: &'a str) -> Result<Injected, Error>;
    inject_or_base(user_id: &'a UserId, base_prompt: &'a str) -> Injected;
    inject_for(user_id: &'a UserId, base_prompt: &'a str, message: &'a str) -> Result<Injected, Error>;
    inject_for_or_base(user_id: &'a UserId, base_prompt: &'a str, message: &'a str) -> Injected;
    update(user_id: &'a UserId, user_message: &'a str, agent_response: &'a str) -> Result<UpdateResponse, Error>;
    update_with(interaction: &'a Interaction) -> Result<UpdateResponse, Error>;
    context(user_id: &'a UserId) -> Result<Context, Error>;
    delete_context(user_id: &'a UserId) -> Result<DeleteResponse, Error>;
    facts(user_id: &'a UserId) -> Result<Vec<FactRecord>, Error>;
    search_facts(user_id: &'a UserId, query: &'a str, limit: Option<u32>) -> Result<Vec<FactRecord>, Error>;
    delete_fact(user_id: &'a UserId, fact_id: &'a str) -> Result<DeleteResponse, Error>;
    create_grant(request: &'a GrantRequest) -> Result<Grant, Error>;
}
