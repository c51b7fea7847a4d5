//! Statements: the sentences of a message that say something durable about its author.

pub mod classifier;
pub mod features;
