//! Options of single calls.

use std::fmt;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName,
    HeaderValue, USER_AGENT,
};

use crate::error::InvalidCall;
use crate::interaction;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Options of a call, for [`Client::with_options`](crate::Client::with_options).
///
/// ```no_run
/// use std::time::Duration;
/// use ctxmem_client::{CallOptions, Client, UserId};
///
/// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
/// let options = CallOptions::new()
///     .timeout(Duration::from_millis(300))
///     .request_id("4bf92f3577b34da6")
///     .header("x-tenant", "acme");
/// let system = client.with_options(options).inject(&user, "Be brief.").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct CallOptions {
    pub(crate) timeout: Option<Duration>,
    pub(crate) headers: HeaderMap,
    pub(crate) idempotency_key: Option<String>,
    /// What is wrong with an option. The call fails with it.
    pub(crate) problem: Option<InvalidCall>,
}

impl CallOptions {
    /// No options: the settings of the client.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long the call may take, including retries and the waits between them.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Adds a header to each attempt of the call. It replaces a default header of the same name.
    ///
    /// The call fails with [`InvalidCall::Header`] if this can't be a header, or is one that the
    /// client sets itself, such as `Authorization`.
    pub fn header(
        mut self,
        name: impl TryInto<HeaderName>,
        value: impl TryInto<HeaderValue>,
    ) -> Self {
        match header(name, value) {
            Some((name, value)) => {
                self.headers.insert(name, value);
            }
            None => self.problem = Some(InvalidCall::Header),
        }
        self
    }

    /// Sends this `X-Request-Id`, so that proxies and gateways log the call under your id. Our
    /// server answers with an id of its own, because a caller's may hold anything.
    pub fn request_id(self, request_id: &str) -> Self {
        self.header(REQUEST_ID, request_id)
    }

    /// The idempotency key of an `update` or a `delete_context`. Use it for one call: the service
    /// rejects another request with the same key. `update_with` takes the key of its
    /// [`Interaction`](crate::Interaction) instead.
    ///
    /// The call fails with [`InvalidCall::IdempotencyKey`] unless the key is 1 to 255 visible ASCII
    /// characters.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        let key = key.into();
        if interaction::is_idempotency_key(&key) {
            self.idempotency_key = Some(key);
        } else {
            self.problem = Some(InvalidCall::IdempotencyKey);
        }
        self
    }
}

/// `Debug` shows no values of headers, because they may be secrets.
impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("timeout", &self.timeout)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("has_idempotency_key", &self.idempotency_key.is_some())
            .finish_non_exhaustive()
    }
}

/// The header, unless it can't be sent or the client sets it itself.
pub(crate) fn header(
    name: impl TryInto<HeaderName>,
    value: impl TryInto<HeaderValue>,
) -> Option<(HeaderName, HeaderValue)> {
    const OURS: [HeaderName; 8] = [
        ACCEPT,
        AUTHORIZATION,
        CONTENT_LENGTH,
        CONTENT_TYPE,
        COOKIE,
        HOST,
        USER_AGENT,
        IDEMPOTENCY_KEY,
    ];
    let (name, value) = (name.try_into().ok()?, value.try_into().ok()?);
    (!OURS.contains(&name)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_sets_itself_can_not_be_set() {
        for name in ["authorization", "Cookie", "host", "Idempotency-Key", "a b"] {
            let options = CallOptions::new().header(name, "canary");
            assert_eq!(options.problem, Some(InvalidCall::Header), "{name}");
        }
        let options = CallOptions::new().header("x-tenant", "a\nb");
        assert_eq!(options.problem, Some(InvalidCall::Header));
        let options = CallOptions::new().idempotency_key("a b");
        assert_eq!(options.problem, Some(InvalidCall::IdempotencyKey));
    }

    #[test]
    fn debug_shows_no_value() {
        let options = CallOptions::new()
            .header("x-tenant", "canary")
            .idempotency_key("canary");
        let shown = format!("{options:?}");
        assert!(shown.contains("x-tenant") && !shown.contains("canary"));
    }
}
