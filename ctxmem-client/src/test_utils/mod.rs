//! Tests agents without a service. Feature `test-utils`.
//!
//! - [`FakeMemory`] behaves like the service, in memory. Give it to an agent that is written
//!   against `Arc<dyn Memory>`.
//! - Forms such as [`InjectForm`] and failures such as [`ServiceError`] are canned answers of a
//!   service behind HTTP, for tests that include a real [`Client`](crate::Client). Mount them
//!   on a [`wiremock::MockServer`].
//!
//! ```
//! use ctxmem_client::test_utils::{FakeFact, FakeMemory};
//! use ctxmem_client::{Memory as _, Scope, UserId};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ada = UserId::new("ada")?;
//! let memory = FakeMemory::new().with_fact(&ada, FakeFact::named(Scope::General, "name", "Ada"));
//! let system = memory.inject(&ada, "You are a helpful assistant.").await?;
//! assert!(system.is_enriched());
//! # Ok(())
//! # }
//! ```

mod fact;
mod fake;
mod grants;
mod mounts;
mod render;
mod script;
mod search;
mod state;
#[cfg(test)]
mod tests;

pub use fact::FakeFact;
pub use fake::FakeMemory;
pub use mounts::{
    Broken, ContextForm, DeleteFactForm, DeleteForm, FactsForm, GrantForm, HealthForm, InjectForm,
    RateLimit, RevokeForm, Route, SearchForm, ServiceError, UpdateForm,
};
/// The version of wiremock that the forms are made for.
pub use wiremock;
