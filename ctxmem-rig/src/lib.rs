#![doc = include_str!("../README.md")]

mod agent_memory;
mod cache;
mod hook;
mod run;

pub use agent_memory::AgentMemory;
pub use hook::MemoryHook;
