//! `/account`: where users see what is remembered about them, who has access and what happened,
//! and where they download or delete it: a home, a page for each of these, and a few more for single tasks.

pub(crate) mod access;
pub(crate) mod apps;
pub(crate) mod auto_delete;
pub(crate) mod consent;
pub(crate) mod data;
mod day;
pub(crate) mod erase;
pub(crate) mod export;
mod fact_view;
pub(crate) mod facts;
pub(crate) mod frame;
pub(crate) mod history;
mod history_filter;
mod long_list;
mod memory;
mod news;
pub(crate) mod overview;
pub(crate) mod preview;
pub(crate) mod signed_out;
pub(crate) mod undo;

const HOME: &str = "/account";
const MEMORY: &str = "/account/facts";
const DATA: &str = "/account/data";
const APPS: &str = "/account/apps";
