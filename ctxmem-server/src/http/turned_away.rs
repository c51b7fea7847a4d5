//! Clients beyond the limit on connections. They are told so, instead of being left waiting, and
//! who asks for the server's health is answered: operators look when there is too much to do.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;
use warp::reply::Response;

use super::body::BodyStream;
use super::error::HttpError;
use super::request_context::RequestContext;
use super::{Api, routes};
use crate::core::Error;

/// How long a client beyond the limit may take to send its request and read the answer.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);

const TOO_MANY: HttpError =
    HttpError::Core(Error::Overloaded("Too many connections. Retry later."));

/// The clients that are being told. The newest ones, because a client that is worth an answer
/// sends its request at once, and one that sends nothing is not missed.
pub(super) struct TurnedAway {
    limit: usize,
    tasks: VecDeque<AbortHandle>,
}

impl TurnedAway {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            tasks: VecDeque::with_capacity(limit),
        }
    }

    /// Adds a client, and disconnects the one that has been there longest if there are too many.
    pub(super) fn add(&mut self, client: AbortHandle) {
        if self.tasks.len() >= self.limit {
            self.tasks.retain(|task| !task.is_finished());
        }
        if self.tasks.len() >= self.limit
            && let Some(oldest) = self.tasks.pop_front()
        {
            oldest.abort();
        }
        self.tasks.push_back(client);
    }
}

/// Answers a client beyond the limit.
pub(super) async fn answer(
    api: Arc<Api>,
    request: Arc<RequestContext>,
    body: BodyStream,
) -> Response {
    if request.path() == "/api/health" {
        routes::answer(api, request, body).await
    } else {
        TOO_MANY.into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_one_that_has_been_there_longest_makes_room() {
        let mut turned_away = TurnedAway::new(2);
        let clients: Vec<_> = (0..4)
            .map(|n| {
                let client = tokio::spawn(async move {
                    if n == 1 {
                        return;
                    }
                    std::future::pending::<()>().await;
                });
                turned_away.add(client.abort_handle());
                client
            })
            .collect();
        let left = [false, false, true, true];
        for (client, left) in clients.into_iter().zip(left) {
            let ended = tokio::time::timeout(Duration::from_millis(100), client).await;
            assert_eq!(ended.is_err(), left);
        }
    }
}
