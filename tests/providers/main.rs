//! The model behind the extractor, on wiremock: what a good endpoint receives, and how every
//! answer of a bad one is handled.

#![expect(clippy::expect_used, reason = "helpers of tests may fail the test")]

mod answers;
mod authority;
mod busy;
mod endpoints;
mod faults;
mod probe;
mod request;
mod small_model;
mod support;
