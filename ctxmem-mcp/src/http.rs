//! The streamable HTTP transport. Each request stands for itself, as the protocol has it since
//! 2026-07-28: there are no sessions, and nothing is kept between two requests, whatever the version.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::caller::Caller;
use crate::handler::McpHandler;

/// Answers HTTP requests. Whoever owns the listener has looked at the `Origin` and authenticated the
/// caller before.
#[derive(Clone)]
pub struct HttpTransport(StreamableHttpService<McpHandler, NeverSessionManager>);

impl HttpTransport {
    /// Accepts bodies of at most this many bytes.
    pub fn new(max_body_bytes: usize) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(max_body_bytes)
            .disable_allowed_hosts();
        Self(StreamableHttpService::new(
            || Ok(McpHandler::for_each()),
            Arc::new(NeverSessionManager::default()),
            config,
        ))
    }

    /// Answers a request of this caller. If the future is dropped, so is the work.
    pub async fn answer(&self, mut request: Request<Bytes>, caller: Caller) -> Response<Bytes> {
        request.extensions_mut().insert(caller);
        let response = self.0.handle(request.map(Full::new)).await;
        let (head, body) = response.into_parts();
        // No tool sends anything before its answer, so it is whole.
        let body = match body.collect().await {
            Ok(body) => body.to_bytes(),
            Err(never) => match never {},
        };
        Response::from_parts(head, body)
    }
}
