//! `GET /api/health`, and the two questions that orchestrators ask.
//!
//! - `/livez`: does the process answer? Who gets no answer restarts it. It asks nothing of the
//!   database, because a restart mends no database.
//! - `/readyz`: can requests be sent here? Reads and writes of the database succeed. Who is told no
//!   sends them elsewhere for a while.
//! - `/api/health`: the same in words, for people and monitors, with the model.

use http::StatusCode;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;
use crate::core::Core;

pub(super) async fn health(ctx: HandlerContext) -> Result<Response, HttpError> {
    let health = ctx.core().health().await;
    Ok(reply::json(status(health.is_ok()), &health))
}

pub(super) async fn live(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(is_live())
}

pub(super) async fn ready(ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(is_ready(ctx.core()).await)
}

/// The answer of a process that is alive.
pub(super) fn is_live() -> Response {
    answer(true)
}

/// Whether requests can be sent to this process.
pub(super) async fn is_ready(core: &Core) -> Response {
    answer(core.is_ready().await)
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
