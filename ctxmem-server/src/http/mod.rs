//! The HTTP interface and the pages, in three rooms: the engine, which serves every request; the interface
//! of agents; the pages, whose words are beside them. The table of routes puts them together.

mod api;
mod engine;
mod pages;
mod routes;
mod words;

use std::sync::Arc;

use tokio::net::TcpListener;

pub use api::openapi::document as openapi_document;
pub use engine::limits::Limits;
pub use engine::operator::OperatorConfig;
pub use engine::route::Route;
pub(crate) use engine::server::serve;
pub use engine::site::Site;
pub(crate) use engine::state::{HttpSettings, ServerState};
pub(crate) use pages::hooks::HOOKS;
pub use pages::operator::SettingInForce;
pub use routes::ROUTES;

/// Serves the metrics and the operator's page until the future is dropped.
pub(crate) async fn serve_metrics(
    state: Arc<ServerState>,
    listener: TcpListener,
    settings: Vec<SettingInForce>,
) {
    let core = Arc::clone(&state.core);
    let metrics = Arc::new(api::metrics::Page::new(state));
    let shown = Arc::clone(&metrics);
    let page = pages::operator::routes(core, move || shown.gather(), settings);
    api::metrics::serve(metrics, listener, page).await;
}
