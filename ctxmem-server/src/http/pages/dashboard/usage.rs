//! Usage by day as CSV, of every agent that a developer has or had.

use warp::reply::Response;

use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::pages::csv;

/// The download.
pub(crate) async fn download(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let rows = ctx.core().console.usage_by_agent(&developer.id).await?;
    let mut table = String::new();
    csv::push_row(
        &mut table,
        &[
            "day", "agent_id", "injects", "updates", "filtered", "denied", "errors",
        ],
    );
    for (agent_id, day, usage) in rows {
        let numbers = [
            usage.injects,
            usage.updates,
            usage.filtered,
            usage.denied,
            usage.errors,
        ]
        .map(|n| n.to_string());
        let [injects, updates, filtered, denied, errors] = &numbers;
        let row = [&day, &agent_id, injects, updates, filtered, denied, errors];
        csv::push_row(&mut table, &row.map(String::as_str));
    }
    Ok(reply::csv("ctxmem-usage.csv", table.into_bytes()))
}
