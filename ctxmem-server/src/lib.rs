//! x
pub mod core;
pub mod extract;
pub mod store;
