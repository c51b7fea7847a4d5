//! The transport: sends requests by reqwest, or by something of yours around it.

use std::sync::Arc;

use reqwest::header::HeaderMap;
use reqwest::{Request, Response};

use crate::BoxFuture;
use crate::error::TransportError;

/// Sends HTTP requests. Implement it to put middleware around the client's requests, such as a
/// stack of `tower` layers or a client of the crate `reqwest-middleware`, and set it by
/// [`ClientBuilder::transport`](crate::ClientBuilder::transport).
///
/// It is called once for each attempt. The request carries its headers, its body and, as
/// [`Request::timeout`], what is left of the call's time. The client gives up when that is over,
/// whatever the transport does.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use ctxmem_client::reqwest::redirect::Policy;
/// use ctxmem_client::reqwest::{Client as HttpClient, Request, Response};
/// use ctxmem_client::error::TransportError;
/// use ctxmem_client::{BoxFuture, Client, Transport};
///
/// /// Counts what is sent.
/// struct Counting {
///     http: HttpClient,
///     sent: AtomicUsize,
/// }
///
/// impl Transport for Counting {
///     fn execute(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
///         Box::pin(async move {
///             self.sent.fetch_add(1, Ordering::Relaxed);
///             self.http.execute(request).await.map_err(TransportError::from)
///         })
///     }
/// }
///
/// // As the client's own: the key goes only to the base URL.
/// let http = HttpClient::builder().redirect(Policy::none()).build().unwrap();
/// let counting = Counting { http, sent: AtomicUsize::new(0) };
/// let client = Client::builder()
///     .base_url("https://memory.example.com")
///     .transport(counting)
///     .build()?;
/// # Ok::<(), ctxmem_client::BuildError>(())
/// ```
pub trait Transport: Send + Sync {
    /// Sends the request and returns the head of the answer, whatever its status.
    fn execute(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
}

impl Transport for reqwest::Client {
    fn execute(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let sending = Self::execute(self, request);
        Box::pin(async move { sending.await.map_err(TransportError::from) })
    }
}

/// Changes the headers of each attempt, just before it is sent.
pub(crate) type OnHeaders = Arc<dyn Fn(&mut HeaderMap) + Send + Sync>;

/// Where the client's requests go.
#[derive(Clone)]
pub(crate) enum Sender {
    /// Without a box for each request.
    Reqwest(reqwest::Client),
    Custom(Arc<dyn Transport>),
}

impl Sender {
    pub(crate) async fn execute(&self, request: Request) -> Result<Response, TransportError> {
        match self {
            Self::Reqwest(http) => http.execute(request).await.map_err(TransportError::from),
            Self::Custom(transport) => within_timeout(transport.as_ref(), request).await,
        }
    }
}

/// Whatever a transport does besides sending counts in the call's timeout, too.
#[cfg(not(target_family = "wasm"))]
async fn within_timeout(
    transport: &dyn Transport,
    request: Request,
) -> Result<Response, TransportError> {
    let Some(left) = request.timeout().copied() else {
        return transport.execute(request).await;
    };
    tokio::time::timeout(left, transport.execute(request))
        .await
        .unwrap_or_else(|_| Err(TransportError::timed_out()))
}

#[cfg(target_family = "wasm")]
async fn within_timeout(
    transport: &dyn Transport,
    request: Request,
) -> Result<Response, TransportError> {
    transport.execute(request).await
}
