//! The memory service: the calls that tools, resources and the prompt make, whatever carries them out.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use ctxmem_types::{FactRecord, InjectResponse, Timestamp, UpdateResponse, UserId};

/// The calls of a memory service, in an agent's name. The client of the SDK
/// ([`ctxmem_client::Memory`](https://docs.rs/ctxmem-client/latest/ctxmem_client/trait.Memory.html))
/// makes them over HTTP, with the feature `stdio`.
#[async_trait]
pub trait MemoryService: Send + Sync {
    /// An inject with an empty base prompt, for the user's message if there is one.
    ///
    /// # Errors
    ///
    /// When the call fails. A missing grant is an answer.
    async fn inject(
        &self,
        user_id: &UserId,
        message: Option<&str>,
    ) -> Result<InjectResponse, CallError>;

    /// An update with what the user said, and when, if not just now.
    ///
    /// # Errors
    ///
    /// When the call fails, or there is no grant.
    async fn update(
        &self,
        user_id: &UserId,
        said: String,
        at: Option<Timestamp>,
    ) -> Result<UpdateResponse, CallError>;

    /// Lists the facts about the user.
    ///
    /// # Errors
    ///
    /// When the call fails, or there is no grant.
    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, CallError>;

    /// Finds the facts about the user that bear on a query, those that bear on it most first.
    ///
    /// # Errors
    ///
    /// When the call fails, or there is no grant; with the status 404 where there is no search.
    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, CallError>;

    /// Deletes one fact.
    ///
    /// # Errors
    ///
    /// When the call fails, or the agent may not delete this fact; with the status 404 where there is
    /// no such fact.
    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<(), CallError>;
}

/// Why a call failed.
#[derive(Clone, Default, PartialEq)]
pub struct CallError {
    /// The HTTP status, or the one that it would have over HTTP; `None` where there was no answer.
    pub status: Option<u16>,
    /// What the service said of it, for people.
    pub message: Option<String>,
    /// The page where the user can allow this agent, if the service has to ask them first.
    pub consent_url: Option<String>,
    /// How long to wait before the same call may succeed.
    pub retry_after: Option<Duration>,
    /// What happened, in words that repeat nothing of the request.
    pub summary: String,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

/// `Debug` leaves out what the service said, because it ends up in logs.
impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallError")
            .field("status", &self.status)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for CallError {}
