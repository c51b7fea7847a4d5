//! What a server meets outside itself, for the tests of ctxmem.
//!
//! [`FakeModel`] is the model behind an OpenAI-compatible endpoint, and [`sign_in`] what a browser does
//! with a sign-in link.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test whose surroundings fail fails"
)]

mod completion;
mod model;
mod sign_in;

pub use completion::{completion, completion_of, extraction_data};
pub use model::{FakeModel, MODEL_KEY, PausedCompletion};
pub use sign_in::sign_in;
