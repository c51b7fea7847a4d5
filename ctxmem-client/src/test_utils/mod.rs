//! Tests agents without a service. Feature `test-utils`.
//!
//! [`FakeMemory`] is a scripted service on [`wiremock`], called by a real
//! [`Client`](crate::Client). A test says what is known about a user and how calls are answered, and
//! reads what the agent sent. The fake has none of the service's rules: it holds no grants, counts
//! nothing and extracts nothing. Where a test needs those, start the
//! [server](crate::guide::testing).

mod answer;
mod bodies;
mod fact;
mod fake;
mod route;
mod state;

pub use answer::FakeAnswer;
pub use fact::FakeFact;
pub use fake::FakeMemory;
pub use route::Route;
/// The version of wiremock that the fake is made with.
pub use wiremock;
