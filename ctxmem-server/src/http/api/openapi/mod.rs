//! The OpenAPI document of the interface: for gateways, generators and testers.
//!
//! Each operation is described at its handler, and each schema at its type, so a change of one is a
//! change of the other. Tests compare the operations with the route table, and every request and
//! answer of the contract tests with the document.

mod document;
mod errors;
mod finish;

pub use document::document;
pub(crate) use document::show;
pub(crate) use errors::{
    BodyErrors, FactErrors, GrantErrors, IdErrors, KeyErrors, SecretErrors, SessionErrors,
    UpdateErrors,
};
