//! The memory that large requests take: their bodies, what is read from them and the answers, which
//! repeat a prompt. It is bounded for all of them together, and a request that finds no room is told to retry.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::core::Error;
use crate::locked;

/// Bytes of bodies that are held at once. What is read from them and the answers take twice as much
/// again.
const BUDGET: usize = 32 << 20;

/// The most of it that the bodies of one agent take: its own may be sent slowly, or not at all.
const SHARE: usize = BUDGET / 4;

/// Smaller bodies are not counted: the limit on connections bounds them.
const SMALL: usize = 16 << 10;

/// Bytes that a permit stands for.
const UNIT: usize = 1 << 10;

const TOO_LITTLE: Error = Error::Overloaded("Too many large requests are under way. Retry later.");

#[derive(Clone)]
pub(crate) struct BodyBudget {
    units: Arc<Semaphore>,
    /// The units that agents have, of those that have some.
    by_agent: Arc<Mutex<HashMap<Arc<str>, usize>>>,
}

impl BodyBudget {
    pub(crate) fn new() -> Self {
        Self {
            units: Arc::new(Semaphore::new(BUDGET / UNIT)),
            by_agent: Arc::default(),
        }
    }

    /// Room for one body, of an agent if it is one who calls.
    pub(crate) fn permit(&self, agent_id: Option<Arc<str>>) -> BodyPermit {
        BodyPermit {
            budget: self.clone(),
            agent_id,
            permit: None,
            bytes: SMALL,
        }
    }

    /// Counts units that an agent takes, if its share has so many left.
    fn take(&self, agent_id: &Arc<str>, units: usize) -> bool {
        let mut by_agent = locked(&self.by_agent);
        let taken = by_agent.get(agent_id).copied().unwrap_or_default() + units;
        let has_left = taken <= SHARE / UNIT;
        if has_left {
            by_agent.insert(Arc::clone(agent_id), taken);
        }
        has_left
    }

    fn give_back(&self, agent_id: &Arc<str>, units: usize) {
        let mut by_agent = locked(&self.by_agent);
        let left = by_agent.get(agent_id).copied().unwrap_or_default();
        if left > units {
            by_agent.insert(Arc::clone(agent_id), left - units);
        } else {
            by_agent.remove(agent_id);
        }
    }
}

/// The memory of one body, which is given back when this is dropped.
pub(crate) struct BodyPermit {
    budget: BodyBudget,
    agent_id: Option<Arc<str>>,
    permit: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl BodyPermit {
    /// Makes room for a body of so many bytes.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let units = bytes.saturating_sub(self.bytes).div_ceil(UNIT);
        if units == 0 {
            return Ok(());
        }
        let wanted = u32::try_from(units).map_err(|_| TOO_LITTLE)?;
        let more = Arc::clone(&self.budget.units).try_acquire_many_owned(wanted);
        let more = more.map_err(|_| TOO_LITTLE)?;
        if let Some(agent_id) = &self.agent_id
            && !self.budget.take(agent_id, units)
        {
            return Err(TOO_LITTLE);
        }
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        self.bytes += units * UNIT;
        Ok(())
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        if let (Some(agent_id), Some(permit)) = (&self.agent_id, &self.permit) {
            self.budget.give_back(agent_id, permit.num_permits());
        }
    }
}

/// The body of an answer, with the memory of its request. It is given back once the bytes are sent: hyper
/// drops a body as soon as it has all of it, and keeps the bytes until the client reads.
pub(crate) struct WithPermit<B> {
    body: B,
    permit: Option<Arc<BodyPermit>>,
}

/// Bytes of an answer that wait to be sent.
struct Waiting {
    bytes: Bytes,
    _permit: Arc<BodyPermit>,
}

impl<B> WithPermit<B> {
    pub(crate) fn new(body: B, permit: Option<Arc<BodyPermit>>) -> Self {
        Self { body, permit }
    }
}

impl AsRef<[u8]> for Waiting {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for WithPermit<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let Some(permit) = &self.permit else {
            return Poll::Ready(frame);
        };
        let waiting = |bytes| {
            Bytes::from_owner(Waiting {
                bytes,
                _permit: Arc::clone(permit),
            })
        };
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(waiting))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[test]
    fn many_large_bodies_find_no_room_until_one_has_gone_and_small_ones_always_do() {
        const LARGE: usize = 1 << 20;
        let budget = BodyBudget::new();
        let grown = |bytes| {
            let mut permit = budget.permit(None);
            permit.grow(bytes).map(|()| permit)
        };
        let mut permits: Vec<BodyPermit> = std::iter::from_fn(|| grown(LARGE).ok())
            .take(1_000)
            .collect();
        assert_eq!(permits.len(), BUDGET / (LARGE - SMALL));
        assert!(grown(SMALL).is_ok());
        permits.pop();
        assert!(grown(LARGE).is_ok());
    }

    #[test]
    fn one_agent_leaves_room_to_others() {
        let budget = BodyBudget::new();
        let grown = |agent: &str, bytes| {
            let mut permit = budget.permit(Some(agent.into()));
            permit.grow(bytes).map(|()| permit)
        };
        let mut permits: Vec<BodyPermit> = std::iter::from_fn(|| grown("greedy", 1 << 20).ok())
            .take(1_000)
            .collect();
        assert_eq!(permits.len(), SHARE / ((1 << 20) - SMALL));
        assert!(grown("other", 1 << 20).is_ok());
        permits.pop();
        assert!(grown("greedy", 1 << 20).is_ok());
        drop(permits);
        assert!(budget.by_agent.lock().unwrap().is_empty());
    }

    #[test]
    fn a_body_that_grows_is_counted_once() {
        let budget = BodyBudget::new();
        let mut permit = budget.permit(None);
        for bytes in [1, SMALL, SMALL + 1, SMALL + 2, SMALL + UNIT + 1, 100 * UNIT] {
            permit.grow(bytes).unwrap();
        }
        let taken = BUDGET / UNIT - budget.units.available_permits();
        assert_eq!(taken, (100 * UNIT - SMALL).div_ceil(UNIT));
        drop(permit);
        assert_eq!(budget.units.available_permits(), BUDGET / UNIT);
    }

    #[tokio::test]
    async fn the_room_of_a_request_is_taken_until_its_answer_is_sent() {
        let budget = BodyBudget::new();
        let mut permit = budget.permit(None);
        permit.grow(BUDGET).unwrap();
        let answer = http_body_util::Full::new(Bytes::from_static(b"an answer"));
        let mut answer = WithPermit::new(answer, Some(Arc::new(permit)));
        let sending = answer.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(answer);
        assert_eq!(sending, "an answer");
        assert!(budget.permit(None).grow(BUDGET).is_err());
        drop(sending);
        assert!(budget.permit(None).grow(BUDGET).is_ok());
    }
}
