//! Compresses pages, their downloads and assets by gzip.
//!
//! Whoever can make a browser ask for a page with text of their choice in it, and can see how long the
//! encrypted answer is, can guess what else is in the page (the BREACH attack). So an answer about a
//! person is compressed only if no other site had a hand in the request, a page that shows a secret
//! never, and the interface of agents, which puts prompts of others beside stored facts, never.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{StreamExt as _, stream};
use http::{HeaderValue, header};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use warp::reply::Response;

use super::reply::{self, has_type};
use super::request_context::RequestContext;
use super::state::ServerState;

/// What is shorter fits into a packet anyway.
const WORTH_IT: u64 = 1024;
/// From here on a thread of its own compresses, while others are served.
const LONG: u64 = 32 << 10;
/// Beyond this level pages get hardly smaller.
const LEVEL: Compression = Compression::new(6);

/// Marks an answer that shows a secret.
#[derive(Clone, Copy)]
struct Secret;

/// Keeps an answer from being compressed.
pub(crate) fn never(mut response: Response) -> Response {
    response.extensions_mut().insert(Secret);
    response
}

/// Compresses an answer where that is worth it, allowed and understood.
pub(crate) async fn finish(
    state: &ServerState,
    request: &RequestContext,
    response: Response,
) -> Response {
    let is_text = [
        "text/html",
        "text/css",
        "text/javascript",
        "application/json",
    ]
    .into_iter()
    .any(|name| has_type(&response, name));
    let is_secret = response.extensions().get::<Secret>().is_some();
    if !is_text || is_secret {
        return response;
    }
    let size = response.body().size_hint();
    let is_short = size.upper().is_some_and(|bytes| bytes < WORTH_IT);
    let is_asset = !has_type(&response, "text/html") && !has_type(&response, "application/json");
    if is_short || !(is_asset || is_own(state, request)) || !takes_gzip(request) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let headers = &mut head.headers;
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(bytes) = size.exact() {
        let short = compress(reply::whole(body).await, bytes >= LONG).await;
        return Response::from_parts(head, short.into());
    }
    let response = Response::from_parts(head, Vec::new().into());
    reply::with_stream(response, compressed(body))
}

/// Whether a page of ours led to this request, or the person themselves. Browsers say so where there
/// is something to protect: on https. A request that does not say so may come from anywhere.
fn is_own(state: &ServerState, request: &RequestContext) -> bool {
    match request.headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin" || site == "none",
        None => !state.site.is_https(),
    }
}

pub(crate) fn takes_gzip(request: &RequestContext) -> bool {
    let accepted = request.headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
        name.trim().eq_ignore_ascii_case("gzip") && weight.parse().is_ok_and(|q: f32| q > 0.0)
    })
}

async fn compress(whole: Bytes, is_long: bool) -> Vec<u8> {
    let compress = move || {
        let mut gzip = GzEncoder::new(Vec::new(), LEVEL);
        // Writing to memory can't fail.
        let _ = gzip.write_all(&whole);
        gzip.finish().unwrap_or_default()
    };
    if is_long {
        let compressing = tokio::task::spawn_blocking(compress);
        compressing.await.unwrap_or_default()
    } else {
        compress()
    }
}

/// A body that is written while it is sent. Each piece gives what the encoder has by then.
fn compressed(
    body: impl hyper::body::Body<Data = Bytes, Error = warp::Error> + Send + Unpin + 'static,
) -> impl futures_util::Stream<Item = Result<Bytes, warp::Error>> + Send + 'static {
    let gzip = Some(GzEncoder::new(Vec::new(), LEVEL));
    let pieces = stream::unfold((body.into_data_stream(), gzip), |(mut body, gzip)| async {
        let mut gzip = gzip?;
        match body.next().await {
            Some(Ok(piece)) => {
                let _ = gzip.write_all(&piece);
                let ready = std::mem::take(gzip.get_mut());
                Some((Ok(Bytes::from(ready)), (body, Some(gzip))))
            }
            Some(Err(error)) => Some((Err(error), (body, None))),
            None => {
                let rest = gzip.finish().unwrap_or_default();
                Some((Ok(rest.into()), (body, None)))
            }
        }
    });
    // An empty piece would end the body in chunks.
    pieces.filter(|piece| std::future::ready(!matches!(piece, Ok(bytes) if bytes.is_empty())))
}
