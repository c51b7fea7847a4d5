//! `/account`: where users see what is remembered about them, who has access and what happened,
//! and where they download or delete it. One page, with a few more for single tasks.

mod access;
mod add_form;
pub(super) mod asked_view;
mod consent;
mod erase;
mod export;
mod fact_view;
mod facts;
mod form_problem;
pub(super) mod frame;
mod history;
mod history_filter;
mod long_list;
mod memory;
pub(super) mod notice;
mod overview;
mod preview;
mod sessions;
pub(super) mod signed_out;

pub(super) use access::{allow, revoke};
pub(super) use consent::{access_seen, ask_first, pause};
pub(super) use erase::{ask as ask_to_erase, erase, receipt, receipt_text};
pub(super) use export::{context, export};
pub(super) use facts::{add, correct, delete, delete_scope, edit, find, let_in, list};
pub(super) use history::{history, history_csv};
pub(super) use overview::show;
pub(super) use preview::preview;
pub(super) use sessions::sign_out_everywhere;
