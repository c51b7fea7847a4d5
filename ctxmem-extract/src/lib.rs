//! From one exchange between a user and an agent to durable facts about the user. Pure: no I/O,
//! no clock, no runtime.
//!
//! The path of a message: a [`Reading`] takes the user's own words apart into sentences and judges each, once for
//! all later steps. [`first_stage`] decides without a model whether it can hold anything durable. The
//! built-in [`rules`] or a model find candidates ([`prompt`] builds the request, [`answer`] parses
//! the reply). Every candidate passes the gate, [`admit_all`], whoever found it. This crate does
//! not know which scopes an agent may write, and nothing here touches a store or a network.

mod address;
mod admit;
mod admitted;
pub mod answer;
mod by_hand;
mod candidate;
mod changed;
mod days;
pub mod dialect;
mod endings;
pub mod first_stage;
mod folded_words;
mod hash;
mod hidden;
mod home;
mod interaction;
mod known;
mod orders;
mod patterns;
mod persons;
pub mod prompt;
mod refusal;
mod requests;
pub mod rules;
pub mod score;
pub mod secrets;
mod sections;
mod slots;
pub mod statements;
mod succession;
mod taking_back;
mod text;
mod without_model;

pub use admitted::{Admitted, admit, admit_all, holds_secret};
pub use by_hand::admit_by_hand;
pub use candidate::{Candidate, Op};
pub use changed::StatedChanges;
pub use days::weekdays;
pub use endings::{subject_groups, subject_phrases, tells_an_end};
pub use hidden::is_hidden;
pub use interaction::Interaction;
pub use known::Known;
pub use refusal::Refusal;
pub use requests::asks_to_remember;
pub use rules::written_down;
pub use slots::{ALLERGY, holds_several};
pub use statements::features::is_unspaced;
pub use statements::quotation;
pub use succession::{is_post, point_to_known};
pub use taking_back::HOME;
pub use text::{Prose, Reading, composed, readable};
pub use without_model::{Extraction, extract_without_model, prepare};
