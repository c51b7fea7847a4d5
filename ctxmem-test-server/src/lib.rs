//! [`TestServer`] is a server in the process, for the tests and examples of ctxmem.

#![expect(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test that can't start its server fails"
)]

mod server;

pub use server::TestServer;
