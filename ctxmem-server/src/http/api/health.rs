//! `GET /api/health`, and the two questions that orchestrators ask.
//!
//! - `/livez`: does the process answer? An orchestrator that gets no answer restarts it. The database
//!   is not asked, because a restart would not repair it.
//! - `/readyz`: can this process take requests? Yes if the database can be read and written. While the
//!   answer is no, an orchestrator sends requests elsewhere.
//! - `/api/health`: the same in detail, and the model, for people and monitors.

use ctxmem_types::Health;
use http::StatusCode;
use warp::reply::Response;

use crate::core::Core;
use crate::http::engine::{HandlerContext, HandlerResult, reply};

/// Says how the service is.
///
/// A model that is down is told, but is not reason enough for a 503: prompts are still enriched.
#[utoipa::path(
    get, path = "/api/health", operation_id = "health", tag = "health",
    responses(
        (status = 200, description = "The database can be read and written.", body = Health),
        (status = 503, description = "It is not.", body = Health),
    ),
)]
pub(crate) async fn health(ctx: HandlerContext) -> HandlerResult {
    let health = ctx.core().operator.health().await;
    Ok(reply::json(status(health.is_ok()), &health))
}

/// Whether the process answers.
///
/// An orchestrator that gets no answer restarts it. Our addition to the interface.
#[utoipa::path(
    get, path = "/livez", operation_id = "live", tag = "health",
    responses(
        (status = 200, description = "It does.", body = String, content_type = "text/plain"),
        (status = 503, description = "It is not.", body = String, content_type = "text/plain"),
    ),
)]
pub(crate) async fn live(_ctx: HandlerContext) -> HandlerResult {
    Ok(is_live())
}

/// Whether the process can take requests.
///
/// While it can not, an orchestrator sends requests elsewhere. Our addition to the interface.
#[utoipa::path(
    get, path = "/readyz", operation_id = "ready", tag = "health",
    responses(
        (status = 200, description = "It can.", body = String, content_type = "text/plain"),
        (status = 503, description = "It is not.", body = String, content_type = "text/plain"),
    ),
)]
pub(crate) async fn ready(ctx: HandlerContext) -> HandlerResult {
    Ok(is_ready(ctx.core()).await)
}

pub(crate) fn is_live() -> Response {
    answer(true)
}

pub(crate) async fn is_ready(core: &Core) -> Response {
    answer(core.operator.is_ready().await)
}

fn answer(good: bool) -> Response {
    let text: &[u8] = if good { b"ok\n" } else { b"unavailable\n" };
    reply::with_type(status(good), "text/plain; charset=utf-8", text.to_vec())
}

fn status(good: bool) -> StatusCode {
    if good {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    }
}
