//! `/dashboard`: what developers see and do, and what they don't get to see.

mod agents;
mod deletion;
mod keys;
mod pages;
mod playground;
mod quickstarts;
mod requests;
mod second_factor;
mod sessions;
mod settings;
mod sign_in;
mod strangers;
mod team;
mod throttle;
mod usage;
