#![doc = include_str!("../README.md")]

mod agent_memory;
mod cache;
mod hook;
mod learn;
mod run;

pub use agent_memory::AgentMemory;
pub use hook::MemoryHook;
