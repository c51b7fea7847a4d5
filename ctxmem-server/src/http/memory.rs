//! The memory that large requests take: their bodies, what is read from them and the answers, which
//! repeat a prompt. It is bounded for all of them together, and who finds no room is told to retry.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::HttpError;
use crate::core::Error;

/// Bytes of bodies that are held at once. What is read from them and the answers take twice as much
/// again.
const BUDGET: usize = 32 << 20;

/// Smaller bodies are not counted: the limit on connections bounds them.
const SMALL: usize = 16 << 10;

/// Bytes that a permit stands for.
const UNIT: usize = 1 << 10;

const TOO_LITTLE: HttpError = HttpError::Core(Error::Overloaded(
    "Too many large requests are under way. Retry later.",
));

/// The memory for bodies.
pub(super) struct BodyMemory(Arc<Semaphore>);

impl BodyMemory {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET / UNIT)))
    }

    /// Room for one body.
    pub(super) fn room(&self) -> Room {
        Room {
            memory: Arc::clone(&self.0),
            permit: None,
            bytes: SMALL,
        }
    }
}

/// The memory of one body, which is given back when this is dropped.
pub(super) struct Room {
    memory: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
    bytes: usize,
}

impl Room {
    /// Makes room for a body of so many bytes.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), HttpError> {
        let units = bytes.saturating_sub(self.bytes).div_ceil(UNIT);
        if units == 0 {
            return Ok(());
        }
        let wanted = u32::try_from(units).map_err(|_| TOO_LITTLE)?;
        let more = Arc::clone(&self.memory).try_acquire_many_owned(wanted);
        let more = more.map_err(|_| TOO_LITTLE)?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        self.bytes += units * UNIT;
        Ok(())
    }
}

/// The body of an answer, with the room of its request, which is given back once it is sent.
pub(super) struct WithRoom<B> {
    body: B,
    _room: Option<Arc<Room>>,
}

impl<B> WithRoom<B> {
    pub(super) fn new(body: B, room: Option<Arc<Room>>) -> Self {
        Self { body, _room: room }
    }
}

impl<B: Body + Unpin> Body for WithRoom<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
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
    use super::*;

    #[test]
    fn many_large_bodies_find_no_room_until_one_has_gone_and_small_ones_always_do() {
        const LARGE: usize = 1 << 20;
        let memory = BodyMemory::new();
        let grown = |bytes| {
            let mut room = memory.room();
            room.grow(bytes).map(|()| room)
        };
        let mut rooms: Vec<Room> = std::iter::from_fn(|| grown(LARGE).ok())
            .take(1_000)
            .collect();
        assert_eq!(rooms.len(), BUDGET / (LARGE - SMALL));
        assert!(grown(SMALL).is_ok());
        rooms.pop();
        assert!(grown(LARGE).is_ok());
    }

    #[test]
    fn a_body_that_grows_is_counted_once() {
        let memory = BodyMemory::new();
        let mut room = memory.room();
        for bytes in [1, SMALL, SMALL + 1, SMALL + 2, SMALL + UNIT + 1, 100 * UNIT] {
            room.grow(bytes).unwrap();
        }
        let taken = BUDGET / UNIT - memory.0.available_permits();
        assert_eq!(taken, (100 * UNIT - SMALL).div_ceil(UNIT));
        drop(room);
        assert_eq!(memory.0.available_permits(), BUDGET / UNIT);
    }
}
