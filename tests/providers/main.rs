//! The model behind the extractor, played by wiremock: what a good endpoint gets and what
//! becomes of everything a bad one may answer.

#![expect(clippy::expect_used, reason = "helpers of tests may fail the test")]

mod answers;
mod endpoints;
mod faults;
mod probe;
mod request;
mod support;
