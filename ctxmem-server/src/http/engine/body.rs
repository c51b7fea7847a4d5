//! Reads bodies, chunked or not, within limits of size and time.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::body_budget::BodyPermit;
use super::error::HttpError;
use super::request_context::BodyStream;

/// How much is read of a body that the handler did not read to its end.
const DRAIN_BYTES: usize = 64 << 20;

/// A body that is read to its end when it is dropped, within limits. A client that is cut off
/// while it is still sending would often not get to read the answer that says why.
pub(crate) struct DrainOnDrop {
    /// `None` once the body has ended.
    body: Option<Incoming>,
    /// When draining gives up.
    deadline: Instant,
    /// The client waits for `100 Continue`, which hyper sends when the body is first read.
    expects_continue: bool,
}

impl DrainOnDrop {
    pub(crate) fn new(body: Incoming, expects_continue: bool, deadline: Instant) -> Self {
        Self {
            body: Some(body),
            deadline,
            expects_continue,
        }
    }
}

impl Body for DrainOnDrop {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.expects_continue = false;
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Some(body) => body.size_hint(),
            None => SizeHint::with_exact(0),
        }
    }
}

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        let Some(body) = self.body.take() else {
            return;
        };
        if self.expects_continue || body.is_end_stream() {
            return;
        }
        // At the end of the process there is no runtime left.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(drain(body, self.deadline));
        }
    }
}

async fn drain(mut body: Incoming, deadline: Instant) {
    let draining = async {
        let mut left = DRAIN_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(bytes) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    };
    // It makes no difference whether the body ended or ran into a limit.
    let _ = tokio::time::timeout_at(deadline, draining).await;
}

/// Turns warp's stream of buffers into ours.
pub(crate) fn stream<S, B>(body: S) -> BodyStream
where
    S: Stream<Item = Result<B, warp::Error>> + Send + Sync + 'static,
    B: Buf,
{
    Box::pin(body.map_ok(|mut chunk| chunk.copy_to_bytes(chunk.remaining())))
}

const TOO_LARGE: HttpError = HttpError::Refused(
    StatusCode::PAYLOAD_TOO_LARGE,
    "body: it is larger than this server accepts.",
);

const ENDED_EARLY: HttpError = HttpError::Refused(StatusCode::BAD_REQUEST, "body: it ended early.");

const TOO_SLOW: HttpError = HttpError::Refused(
    StatusCode::REQUEST_TIMEOUT,
    "body: it took too long to arrive.",
);

/// Reads a whole body of at most `limit` bytes within `time`, and takes the room for it. The client
/// announced how many bytes it has, or nothing.
pub(crate) async fn read(
    body: BodyStream,
    limit: usize,
    time: Duration,
    announced: Option<usize>,
    permit: &mut BodyPermit,
) -> Result<Bytes, HttpError> {
    let announced = announced.unwrap_or_default();
    if announced > limit {
        return Err(TOO_LARGE);
    }
    tokio::time::timeout(time, collect(body, limit, announced, permit))
        .await
        .unwrap_or(Err(TOO_SLOW))
}

async fn collect(
    mut body: impl Stream<Item = Result<Bytes, warp::Error>> + Unpin,
    limit: usize,
    announced: usize,
    permit: &mut BodyPermit,
) -> Result<Bytes, HttpError> {
    permit.grow(announced)?;
    // Most bodies come in one chunk, which is passed on without a copy.
    let mut first = Bytes::new();
    let mut joined = Vec::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|_| ENDED_EARLY)?;
        let length = first.len() + joined.len() + chunk.len();
        if length > limit {
            return Err(TOO_LARGE);
        }
        permit.grow(length)?;
        if first.is_empty() && joined.is_empty() {
            first = chunk;
        } else {
            // Grown by doubling it would take up to three times as much for a moment.
            joined.reserve_exact(announced.max(length).saturating_sub(joined.len()));
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&chunk);
        }
    }
    Ok(if joined.is_empty() {
        first
    } else {
        joined.into()
    })
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;
    use crate::http::engine::body_budget::BodyBudget;

    async fn read_whole(chunks: &[&'static str], limit: usize) -> Result<Bytes, HttpError> {
        let chunks = chunks
            .iter()
            .map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
        collect(
            stream::iter(chunks),
            limit,
            0,
            &mut BodyBudget::new().permit(None),
        )
        .await
    }

    #[tokio::test]
    async fn in_however_many_chunks_it_is_the_same_body() {
        for chunks in [
            &["abcdef"][..],
            &["abc", "def"],
            &["", "a", "", "bc", "def", ""],
            &["a", "b", "c", "d", "e", "f"],
        ] {
            assert_eq!(read_whole(chunks, 6).await.unwrap(), "abcdef", "{chunks:?}");
            let refused = read_whole(chunks, 5).await;
            assert!(
                matches!(
                    refused,
                    Err(HttpError::Refused(StatusCode::PAYLOAD_TOO_LARGE, _))
                ),
                "{chunks:?}"
            );
        }
        assert_eq!(read_whole(&[], 0).await.unwrap(), "");
    }

    #[tokio::test]
    async fn one_chunk_is_not_copied() {
        let chunk = Bytes::from(b"abcdef".to_vec());
        let body = stream::iter([Ok(chunk.clone())]);
        let mut permit = BodyBudget::new().permit(None);
        let collected = collect(body, 6, 6, &mut permit).await.unwrap();
        assert_eq!(collected.as_ptr(), chunk.as_ptr());
    }
}
