//! Usage by day as CSV, of every agent that a developer has or had.

use warp::reply::Response;

use crate::http::csv::Csv;
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::reply;

/// The download.
pub(in crate::http) async fn download(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let rows = ctx.core().usage_by_agent(&developer.id).await?;
    let mut csv = Csv::new(&[
        "day", "agent_id", "injects", "updates", "filtered", "denied", "errors",
    ]);
    for (agent_id, day, usage) in rows {
        let numbers = [
            usage.injects,
            usage.updates,
            usage.filtered,
            usage.denied,
            usage.errors,
        ];
        csv.row(
            [day, agent_id]
                .into_iter()
                .chain(numbers.map(|n| n.to_string())),
        );
    }
    Ok(reply::csv("ctxmem-usage.csv", csv.into_bytes()))
}
