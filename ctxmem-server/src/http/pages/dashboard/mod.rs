//! `/dashboard`: where developers see and manage their own agents and keys.
//!
//! The session alone decides who the developer is. Every call of `core` takes the developer or the id of
//! their team's account, and what belongs to another team looks as if it did not exist.

pub(crate) mod agent_page;
pub(crate) mod agents;
mod chart;
pub(crate) mod join;
pub(crate) mod keys;
pub(crate) mod overview;
pub(crate) mod playground;
pub(crate) mod profile;
mod qr_code;
mod quickstart;
pub(crate) mod requests;
pub(crate) mod settings;
mod shown_once;
pub(crate) mod sign_in;
pub(crate) mod team;
pub(crate) mod usage;
mod view;
