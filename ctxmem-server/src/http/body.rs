//! Reading bodies: bounded in size and time, chunked or not.

use std::pin::Pin;
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use http::StatusCode;

use super::error::HttpError;

/// A body on its way in.
pub(super) type BodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, warp::Error>> + Send + Sync>>;

/// How much of a body that is too large is still taken in and dropped. A client that is cut
/// off while it sends would often not get to read the answer that says why.
const DRAIN_BYTES: usize = 64 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// Makes a body from what warp hands out.
pub(super) fn stream<S, B>(body: S) -> BodyStream
where
    S: Stream<Item = Result<B, warp::Error>> + Send + Sync + 'static,
    B: Buf,
{
    Box::pin(body.map_ok(|mut chunk| chunk.copy_to_bytes(chunk.remaining())))
}

/// Reads a whole body of at most `limit` bytes within `time`.
pub(super) async fn read(
    mut body: BodyStream,
    limit: usize,
    time: Duration,
) -> Result<Vec<u8>, HttpError> {
    let mut bytes = Vec::new();
    let reading = async {
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|_| {
                HttpError::Refused(StatusCode::BAD_REQUEST, "body: it ended early.")
            })?;
            if bytes.len() + chunk.len() > limit {
                return Ok(false);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(true)
    };
    match tokio::time::timeout(time, reading).await {
        Ok(Ok(true)) => Ok(bytes),
        Ok(Ok(false)) => {
            tokio::spawn(drain(body));
            Err(HttpError::Refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                "body: it is larger than this server takes.",
            ))
        }
        Ok(Err(error)) => Err(error),
        Err(_) => Err(HttpError::Refused(
            StatusCode::REQUEST_TIMEOUT,
            "body: it took too long to arrive.",
        )),
    }
}

async fn drain(mut body: BodyStream) {
    let draining = async {
        let mut left = DRAIN_BYTES;
        while let Some(Ok(chunk)) = body.next().await {
            match left.checked_sub(chunk.len()) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    };
    // Whether it ended or was cut off makes no difference.
    let _ = tokio::time::timeout(DRAIN_TIME, draining).await;
}
