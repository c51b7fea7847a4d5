//! Downloads of a user's data.

use bytes::Bytes;
use futures_util::future;
use futures_util::stream::{self, Stream, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;

use super::day::Zone;
use super::long_list;
use crate::core::{Error, Export, HistoryPages};
use crate::http::engine::{HandlerContext, HandlerResult, reply};

#[derive(Default, Deserialize)]
#[serde(default)]
struct ExportQuery {
    /// The first and the last day; empty for any.
    from: String,
    to: String,
    zone: String,
}

/// Everything that is stored about the user, or what is of some days, in this server's own format. The
/// history is read while it is sent.
pub(crate) async fn export(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: ExportQuery = ctx.query()?;
    let period = Zone::of(&query.zone)?.period(&query.from, &query.to)?;
    let (export, history) = ctx.core().memory.export(user_id, period).await?;
    let pieces = pieces(export, history, ctx.request.request_id.as_str().to_owned());
    Ok(reply::download_stream(
        "ctxmem-export.json",
        "application/json",
        pieces,
    ))
}

/// The facts, by scope.
pub(crate) async fn context(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let context = ctx.core().memory.export_context(user_id).await?;
    Ok(reply::download("ctxmem-context.json", &context))
}

/// The file, piece by piece. A failure ends it before its end, and the connection with it.
fn pieces(
    export: Export,
    history: HistoryPages,
    request_id: String,
) -> impl Stream<Item = Result<Bytes, PieceError>> + Send {
    let opening = stream::once(async move { Ok(long_list::opening(&export)?) });
    let entries = stream::try_unfold((history, true), async |(mut history, are_first)| {
        let Some(page) = history.next().await? else {
            return Ok(None);
        };
        let piece = long_list::entries(&page, are_first)?;
        Ok(Some((piece, (history, false))))
    });
    let end = stream::once(async { Ok(long_list::END.to_vec()) });
    let pieces = opening.chain(entries).chain(end);
    let pieces = pieces.map_ok(Bytes::from).inspect_err(move |cause| {
        tracing::error!(%cause, request_id, "an export was cut off");
    });
    pieces.scan(false, |has_failed, piece| {
        let is_over = std::mem::replace(has_failed, piece.is_err());
        future::ready((!is_over).then_some(piece))
    })
}

/// Why a piece can't be had.
#[derive(Debug, thiserror::Error)]
enum PieceError {
    #[error(transparent)]
    Core(#[from] Error),
    #[error("it can't be written")]
    Json(#[from] serde_json::Error),
}
