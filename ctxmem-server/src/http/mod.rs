//! The HTTP interface and the pages, in three rooms: the engine, which serves every request; the interface
//! of agents; the pages, whose words are beside them. The table of routes puts them together.

mod api;
mod engine;
mod pages;
mod routes;
mod words;

pub(crate) use api::metrics::serve as serve_metrics;
pub use api::openapi::document as openapi_document;
pub use engine::limits::Limits;
pub use engine::operator::OperatorConfig;
pub use engine::route::Route;
pub(crate) use engine::server::serve;
pub use engine::site::Site;
pub(crate) use engine::state::ServerState;
pub(crate) use pages::hooks::HOOKS;
pub use routes::ROUTES;
