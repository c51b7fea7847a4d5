//! The pages in a real browser: on SQLite, or on the engine that `CTXMEM_TEST_ENGINE` names.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod suite;
