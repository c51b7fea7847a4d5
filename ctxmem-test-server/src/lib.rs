//! Test support that the tests and examples of ctxmem share.
//!
//! [`TestServer`] is a server in the process, [`FakeModel`] the model behind an OpenAI-compatible
//! endpoint, and [`sign_in`] what a browser does with a sign-in link.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test that can't start its server fails"
)]

mod completion;
mod model;
mod server;
mod sign_in;

pub use completion::{completion, completion_of, extraction_data};
pub use model::{FakeModel, MODEL_KEY, PausedCompletion};
pub use server::TestServer;
pub use sign_in::sign_in;
