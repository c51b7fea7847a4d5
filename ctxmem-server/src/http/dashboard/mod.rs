//! `/dashboard`: where developers see and manage their own agents and keys.
//!
//! Whose they are follows from the session alone; `core` is asked with the developer's id, and
//! what belongs to others is answered as if it were not there.

pub(super) mod agents;
mod chart;
mod done;
mod form;
pub(super) mod keys;
pub(super) mod overview;
pub(super) mod playground;
pub(super) mod sign_in;
mod view;
