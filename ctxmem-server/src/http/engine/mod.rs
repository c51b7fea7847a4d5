//! The engine: accepts connections, limits and reads requests, finds their route and sends the answers.
//! It is handed the routes and what pages add to answers, and knows neither an endpoint nor a page.

pub(crate) mod body;
pub(crate) mod body_budget;
pub(crate) mod buckets;
pub(crate) mod client_address;
pub(crate) mod compression;
pub(crate) mod cookie;
pub(crate) mod dispatch;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod form_mark;
pub(crate) mod handler_context;
pub(crate) mod known_fields;
pub(crate) mod lifecycle;
pub(crate) mod limits;
pub(crate) mod lone_surrogates;
pub(crate) mod metrics;
pub(crate) mod operator;
pub(crate) mod overflow;
pub(crate) mod page_hooks;
pub(crate) mod pipelining;
pub(crate) mod playground_history;
pub(crate) mod rare_warning;
pub(crate) mod rate_limit;
pub(crate) mod reply;
pub(crate) mod request_context;
pub(crate) mod request_id;
pub(crate) mod request_span;
pub(crate) mod route;
pub(crate) mod server;
pub(crate) mod sign_in_provider;
pub(crate) mod sign_in_secret;
pub(crate) mod sign_in_throttle;
pub(crate) mod site;
pub(crate) mod state;
pub(crate) mod write_deadline;

pub(crate) use error::HttpError;
pub(crate) use handler_context::{HandlerContext, HandlerResult};
