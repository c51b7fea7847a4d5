//! From one exchange between a user and an agent to durable facts about the user. Pure: no I/O,
//! no clock, no runtime.
//!
//! The way of a message: a [`Reading`] takes it apart for all who look into it;
//! [`first_stage`] decides without a model whether it can hold anything durable; the built-in
//! [`rules`] or a model ([`prompt`] asks it, [`answer`] reads what it wrote) find candidates;
//! [`admit_all`] is the gate that every candidate passes, whoever found it. Which scopes an agent
//! may write is no business of this crate, and nothing here touches a store or a network.

mod admit;
mod admitted;
pub mod answer;
mod by_hand;
mod candidate;
mod evidence;
pub mod first_stage;
mod home;
mod interaction;
mod known;
mod orders;
pub mod prompt;
mod requested;
pub mod rules;
pub mod score;
pub mod secrets;
mod sections;
mod slots;
mod text;

pub use admitted::{Admitted, admit, admit_all, holds_secret};
pub use by_hand::{Refusal, admit_by_hand};
pub use candidate::{Candidate, Op};
pub use interaction::Interaction;
pub use known::Known;
pub use requested::asks_to_remember;
pub use slots::{ALLERGY, holds_several};
pub use text::{Prose, Reading};
