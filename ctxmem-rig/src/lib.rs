#![doc = include_str!("../README.md")]

mod agent_memory;
mod cache;
mod run;

pub use agent_memory::{AgentMemory, MemoryHook};
