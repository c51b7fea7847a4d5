//! Cache hints in the requests of async-openai, as its own client sends them.

mod documented;
mod endpoint;
mod hints;
