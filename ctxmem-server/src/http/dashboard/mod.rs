//! `/dashboard`: where developers see and manage their own agents and keys.
//!
//! The session alone decides who the developer is. Every call of `core` takes the developer or the id of
//! their team's account, and what belongs to another team looks as if it did not exist.

pub(super) mod agent_page;
pub(super) mod agents;
mod chart;
pub(super) mod join;
pub(super) mod keys;
mod notice;
pub(super) mod overview;
pub(super) mod playground;
pub(super) mod profile;
mod quickstart;
pub(super) mod requests;
pub(super) mod settings;
mod shown_once;
pub(super) mod sign_in;
pub(super) mod team;
pub(super) mod usage;
mod view;
