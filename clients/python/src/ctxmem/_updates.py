"""The queue of updates that are sent in the background, each user's one after the other."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

from .errors import Error, backoff
from .types import UpdateResponse

if TYPE_CHECKING:
    from ._client import AsyncClient

# The largest body that the server takes by default, less what surrounds the texts.
MAX_TEXT = (1 << 20) - 4096

Moment = datetime | str | None


@dataclass(frozen=True)
class Stats:
    """What became of updates: `accepted` is the sum of `pending`, `sent`, `failed` and `dropped`."""

    accepted: int = 0
    pending: int = 0
    #: The service answered.
    sent: int = 0
    #: A permanent error.
    failed: int = 0
    #: The time of `close` ran out, or the event loop ended.
    dropped: int = 0
    #: Never accepted: the queue was full or closed.
    rejected: int = 0


@dataclass(frozen=True)
class UpdateResult:
    """How an update ended, for `on_result`. Its `repr` shows nothing of the user."""

    outcome: Literal["sent", "failed", "dropped", "rejected"]
    user_id: str = field(repr=False)
    idempotency_key: str = field(repr=False)
    response: UpdateResponse | None = None
    error: Error | None = None


@dataclass(repr=False)
class Interaction:
    """One exchange, from which the service learns."""

    user_id: str
    user_message: str
    agent_response: str
    at: Moment = None
    idempotency_key: str = field(default_factory=lambda: str(uuid.uuid4()))
    accepted: float = field(default_factory=lambda: time.monotonic())
    accepted_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    def __post_init__(self) -> None:
        """Of what is too large for the service, the beginning is kept: of the message first, then of the answer."""
        self.user_message = cut(self.user_message, MAX_TEXT)
        self.agent_response = cut(self.agent_response, MAX_TEXT - _size(self.user_message))
        self.size = _size(self.user_message) + _size(self.agent_response) + _size(self.user_id)


class Updates:
    """A bounded queue. Per user there is a task while something of theirs waits."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._slots = asyncio.Semaphore(max(1, client.concurrency))
        self._lanes: dict[str, deque[Interaction]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._counts: Counter[str] = Counter()
        self._bytes = 0
        self._is_closed = False
        self._paused_until = self._last_sent = 0.0
        self._retry_now: asyncio.Future[None] | None = None

    @property
    def stats(self) -> Stats:
        return Stats(**self._counts)

    def push(self, item: Interaction) -> bool:
        """Accepts the interaction, unless the queue is full or closed. Never waits."""
        if self._is_closed or self._is_full(item.size):
            self._report(item, UpdateResult("rejected", item.user_id, item.idempotency_key))
            return False
        self._counts.update(accepted=1, pending=1)
        self._bytes += item.size
        if item.user_id in self._lanes:
            self._lanes[item.user_id].append(item)
        else:
            lane = self._lanes[item.user_id] = deque([item])
            task = asyncio.get_running_loop().create_task(self._drain(item.user_id, lane))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            # A task may be cancelled before it begins.
            task.add_done_callback(lambda _: self._drop(item.user_id, lane))
        return True

    async def flush(self, timeout: float) -> Stats:
        """Waits until nothing is pending, or the time runs out. Backoffs are shortened, unlike waits asked for."""
        until = time.monotonic() + timeout
        while self._tasks and (left := until - time.monotonic()) > 0:
            if self._retry_now:
                self._retry_now.set_result(None)
                self._retry_now = None
            await asyncio.wait(self._tasks, timeout=min(left, 0.25))
        return self.stats

    async def close(self, timeout: float) -> Stats:
        """Takes no more, waits as `flush` does, and drops what is left."""
        self._is_closed = True
        await self.flush(timeout)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        return self.stats

    def _is_full(self, more: int) -> bool:
        return self._counts["pending"] >= self._client.max_items or self._bytes + more > self._client.max_bytes

    async def _drain(self, user_id: str, lane: deque[Interaction]) -> None:
        try:
            while lane:
                result = await self._send(lane[0])
                self._end(lane.popleft(), result)
        finally:
            self._drop(user_id, lane)

    def _drop(self, user_id: str, lane: deque[Interaction]) -> None:
        """Ends a lane, with what may be left in it."""
        if self._lanes.get(user_id) is lane:
            del self._lanes[user_id]
        while lane:
            item = lane.popleft()
            self._end(item, UpdateResult("dropped", user_id, item.idempotency_key))

    async def _send(self, item: Interaction) -> UpdateResult:
        user_id, key = item.user_id, item.idempotency_key
        attempts, last_try, refusals, tells_time = 0, time.monotonic(), 0, True
        while True:
            try:
                async with self._slots:
                    while (pause := self._paused_until - time.monotonic()) > 0:  # noqa: ASYNC110
                        await asyncio.sleep(pause)
                    # What goes out sooner counts as just now, so a wrong clock here does no harm.
                    is_late = tells_time and time.monotonic() - item.accepted > 60.0
                    item.at = item.accepted_at.isoformat(timespec="milliseconds") if is_late else None
                    response = await self._client.send_update(item, retries=0)
                self._last_sent = time.monotonic()
                return UpdateResult("sent", user_id, key, response)
            except Error as failure:
                error = failure
            except Exception as failure:
                error = Error(f"the update can't be sent: {type(failure).__name__}")
            if error.status == 400 and item.at:
                # Clocks differ, or the service has it already without a time, or doesn't know the field.
                tells_time = False
                continue
            wait = backoff(attempts := attempts + 1, 0.5, 10.0)
            if error.retry_after is not None:
                wait += error.retry_after
                self._paused_until = max(self._paused_until, time.monotonic() + wait)
            # What waits for an outage to end doesn't age while there is room. What fails again and again while
            # the service takes others is not waiting for that.
            refusals += self._last_sent > last_try
            last_try = time.monotonic()
            is_old = last_try - item.accepted > self._client.max_age
            if not error.is_retryable or (is_old and (refusals >= 10 or self._is_full(1))):
                return UpdateResult("failed", user_id, key, error=error)
            # Not `wait_for`, which before Python 3.12 may swallow a cancellation.
            self._retry_now = self._retry_now or asyncio.get_running_loop().create_future()
            await asyncio.wait([self._retry_now], timeout=wait)

    def _end(self, item: Interaction, result: UpdateResult) -> None:
        self._counts["pending"] -= 1
        self._bytes -= item.size
        self._report(item, result)

    def _report(self, item: Interaction, result: UpdateResult) -> None:
        self._counts[result.outcome] += 1
        if self._client.on_result is None:
            if result.outcome != "sent":
                self._client.warn(f"an update was {result.outcome}", result.error or "the queue is full or closed")
            return
        try:
            self._client.on_result(result)
        except Exception as failure:
            self._client.warn("on_result raised an exception", type(failure).__name__)


def cut(text: str, size: int) -> str:
    """The beginning of the text that fits into so many bytes of JSON."""
    while (actual := _size(text)) > max(size, 0):
        text = text[: len(text) * max(size, 0) // actual]
    return text


def _size(text: str) -> int:
    """The bytes of a text in JSON."""
    return len(encode(text)) - 2


def encode(value: object) -> bytes:
    """JSON in UTF-8. Half a surrogate pair becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, default=datetime.isoformat).encode("utf-8", "replace")

