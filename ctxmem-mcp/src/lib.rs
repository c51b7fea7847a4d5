#![doc = include_str!("../README.md")]

mod arguments;
mod caller;
mod handler;
#[cfg(feature = "http")]
mod http;
mod memory;
mod prompt;
mod refusal;
mod resources;
#[cfg(feature = "stdio")]
mod sdk;
mod service;
mod tools;

#[cfg(feature = "http")]
pub use self::http::HttpTransport;
pub use caller::Caller;
/// The client by which the memory is reached over HTTP.
#[cfg(feature = "stdio")]
pub use ctxmem_client;
/// The types of what is asked and answered.
pub use ctxmem_types;
pub use handler::McpHandler;
pub use service::{CallError, MemoryService};
