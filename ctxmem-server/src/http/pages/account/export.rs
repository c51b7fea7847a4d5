//! Downloads of a user's data.

use bytes::Bytes;
use futures_util::stream::{self, Stream};
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

/// What is still to be sent.
enum Rest {
    Opening(Box<Export>),
    History { are_first: bool },
    Nothing,
}

/// The file, piece by piece. A failure ends it before its end, and the connection with it.
fn pieces(
    export: Export,
    history: HistoryPages,
    request_id: String,
) -> impl Stream<Item = Result<Bytes, PieceError>> + Send {
    stream::try_unfold(
        (Rest::Opening(Box::new(export)), history),
        move |(rest, history)| {
            let request_id = request_id.clone();
            async move {
                let piece = next_piece(rest, history).await;
                if let Err(cause) = &piece {
                    tracing::error!(%cause, request_id, "an export was cut off");
                }
                piece
            }
        },
    )
}

/// Why a piece can't be had.
#[derive(Debug, thiserror::Error)]
enum PieceError {
    #[error(transparent)]
    Core(#[from] Error),
    #[error("it can't be written")]
    Json(#[from] serde_json::Error),
}

async fn next_piece(
    rest: Rest,
    mut history: HistoryPages,
) -> Result<Option<(Bytes, (Rest, HistoryPages))>, PieceError> {
    let (piece, rest) = match rest {
        Rest::Opening(export) => {
            let opening = long_list::opening(&export)?;
            (opening, Rest::History { are_first: true })
        }
        Rest::History { are_first } => match history.next().await? {
            Some(page) => {
                let entries = long_list::entries(&page, are_first)?;
                (entries, Rest::History { are_first: false })
            }
            None => (long_list::END.to_vec(), Rest::Nothing),
        },
        Rest::Nothing => return Ok(None),
    };
    Ok(Some((piece.into(), (rest, history))))
}
