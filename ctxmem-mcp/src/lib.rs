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
mod tools;

#[cfg(feature = "http")]
pub use self::http::HttpTransport;
pub use caller::Caller;
/// The client by which the memory is reached.
pub use ctxmem_client;
pub use handler::McpHandler;
