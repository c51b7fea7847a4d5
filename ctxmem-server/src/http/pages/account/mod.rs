//! `/account`: where users see what is remembered about them, who has access and what happened,
//! and where they download or delete it: a home, a page for each of these, and a few more for single tasks.

mod access;
mod add_form;
mod apps;
pub(crate) mod asked_view;
mod auto_delete;
mod consent;
mod data;
mod day;
mod erase;
mod export;
mod fact_view;
mod facts;
pub(crate) mod frame;
mod history;
mod history_filter;
mod long_list;
mod memory;
mod news;
mod overview;
mod preview;
mod sessions;
pub(crate) mod signed_out;
mod undo;

/// The overview.
const HOME: &str = "/account";
/// The page of facts.
const MEMORY: &str = "/account/facts";
/// The page about all data.
const DATA: &str = "/account/data";
/// The page of agents with access.
const APPS: &str = "/account/apps";

pub(crate) use access::{allow, revoke};
pub(crate) use apps::show as apps;
pub(crate) use auto_delete::set as set_auto_delete;
pub(crate) use consent::{access_seen, ask_first, pause};
pub(crate) use data::show as data;
pub(crate) use erase::{ask as ask_to_erase, erase, receipt, receipt_text};
pub(crate) use export::{context, export};
pub(crate) use facts::{add, correct, delete, delete_scope, edit, find, list, unblock};
pub(crate) use history::{history, history_csv};
pub(crate) use overview::show;
pub(crate) use preview::preview;
pub(crate) use sessions::sign_out_everywhere;
pub(crate) use undo::{keep_deleted_out, restore};
