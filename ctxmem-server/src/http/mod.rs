//! The HTTP interface and the pages. A handler makes three moves: it authenticates the caller,
//! reads the request and calls `core`, and encodes the answer.
//!
//! The order matters: a caller without a valid key gets the same 401 whatever it sends, and learns
//! nothing about the interface.

mod about;
mod account;
mod api;
mod assets;
mod bidi;
mod body;
mod buckets;
mod client_address;
mod compression;
mod consent;
mod context;
mod cookie;
mod csv;
mod dashboard;
mod dispatch;
mod error;
mod error_page;
mod facts;
mod finish;
mod flash;
mod form;
mod form_again;
mod form_mark;
mod grants;
mod handler_context;
mod health;
mod home;
mod inject;
mod known_fields;
mod language;
mod lifecycle;
mod limits;
mod lone_surrogates;
mod mcp;
mod memory;
mod metrics;
mod openapi;
mod operator;
mod overview_path;
mod page_time;
mod playground_history;
mod rare_warning;
mod rate_limit;
mod reply;
mod request_context;
mod request_id;
mod request_span;
mod route;
mod routes;
mod scopes;
mod security_txt;
mod sent_ahead;
mod server;
mod sign_in;
mod sign_in_links;
mod sign_in_provider;
mod sign_in_secret;
mod sign_in_throttle;
mod site;
mod turned_away;
mod update;
mod words;
mod write_deadline;

pub(crate) use api::Api;
pub use limits::Limits;
pub(crate) use metrics::page::serve as serve_metrics;
pub use openapi::document as openapi_document;
pub use operator::OperatorConfig;
pub use route::Route;
pub use routes::ROUTES;
pub(crate) use server::serve;
pub use site::Site;
