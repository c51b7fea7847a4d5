//! Clients beyond the limit on connections. They are told so, instead of being left waiting, and
//! requests for the server's health are answered: operators look when there is too much to do.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use warp::reply::Response;

use super::dispatch;
use super::error::HttpError;
use super::metrics::{Problem, RefusalReason};
use super::request_context::{BodyStream, RequestContext};
use super::state::ServerState;
use crate::core::Error;

/// How long a client beyond the limit may take to send its request and read the answer.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(2);

const TOO_MANY: HttpError =
    HttpError::Core(Error::Overloaded("Too many connections. Retry later."));

/// The clients that are being told. The newest ones, because a client that is worth an answer
/// sends its request at once, and one that sends nothing is not missed.
pub(crate) struct OverLimit {
    limit: usize,
    tasks: VecDeque<JoinHandle<()>>,
}

impl OverLimit {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            tasks: VecDeque::with_capacity(limit),
        }
    }

    /// Adds a client. If there are too many, the one that has been there longest is disconnected
    /// first, so that it no longer takes a descriptor.
    pub(crate) async fn add(&mut self, client: JoinHandle<()>) {
        if self.tasks.len() >= self.limit {
            self.tasks.retain(|task| !task.is_finished());
        }
        if self.tasks.len() >= self.limit
            && let Some(oldest) = self.tasks.pop_front()
        {
            oldest.abort();
            // Whether it had ended by itself makes no difference.
            let _ = oldest.await;
        }
        self.tasks.push_back(client);
    }
}

/// Answers a client beyond the limit.
pub(crate) async fn answer(
    state: Arc<ServerState>,
    request: Arc<RequestContext>,
    body: BodyStream,
) -> Response {
    if ["/api/health", "/livez", "/readyz"].contains(&request.path()) {
        dispatch::answer(state, request, body).await
    } else {
        let mut response = TOO_MANY.into_response();
        let problem = Problem::Refusal(RefusalReason::Connections);
        response.extensions_mut().insert(problem);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends its number when it is dropped.
    struct LastWords(u32, tokio::sync::mpsc::UnboundedSender<u32>);

    impl Drop for LastWords {
        fn drop(&mut self) {
            let _ = self.1.send(self.0);
        }
    }

    #[tokio::test]
    async fn the_one_that_has_been_there_longest_makes_room() {
        let mut over_limit = OverLimit::new(2);
        let (sender, mut ended) = tokio::sync::mpsc::unbounded_channel();
        for n in 0..4 {
            let last_words = LastWords(n, sender.clone());
            let client = tokio::spawn(async move {
                let _last_words = last_words;
                std::future::pending::<()>().await;
            });
            // It has begun before it is added.
            tokio::task::yield_now().await;
            over_limit.add(client).await;
        }
        assert_eq!((ended.try_recv(), ended.try_recv()), (Ok(0), Ok(1)));
        assert!(ended.try_recv().is_err());
    }
}
