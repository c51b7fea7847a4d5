"""Updates in the background: nothing is lost in silence, and each user's go in order."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any

import httpx
import pytest
from fake import KEY, LEARNED, Answer, Fake, client, failure

from ctxmem import AsyncClient, Stats
from ctxmem._updates import MAX_TEXT, Interaction, _size

UNREACHABLE = httpx.ConnectError("down")


def run(memory: AsyncClient, call: Callable[[AsyncClient], Awaitable[Any]]) -> Any:
    return asyncio.run(call(memory))  # type: ignore[arg-type]


def stats(**counts: int) -> Stats:
    return Stats(**counts)


def test_each_users_updates_go_in_order_and_different_users_at_once() -> None:
    fake = Fake(lambda request: Answer(LEARNED, after=random.uniform(0, 0.02)))

    async def send(memory: AsyncClient) -> Stats:
        for n in range(10):
            for user in "abc":
                assert memory.update_later(user, str(n), "Ok")
        return await memory.close()

    assert run(client(fake), send) == stats(accepted=30, sent=30)
    for user in "abc":
        assert [body["userMessage"] for body in fake.bodies if body["userId"] == user] == [str(n) for n in range(10)]
    assert fake.most_at_once == 3, "one of each user"


@pytest.mark.parametrize("answer", [UNREACHABLE, failure(503), Answer(LEARNED, after=0.2)])
def test_order_is_kept_where_one_has_to_be_sent_again(answer: Any) -> None:
    fake = Fake(answer, Answer(LEARNED))

    async def send(memory: AsyncClient) -> Stats:
        for n in range(3):
            memory.update_later("ada", str(n), "Ok")
        return await memory.close()

    assert run(client(fake, update_timeout=0.1), send) == stats(accepted=3, sent=3)
    assert [body["userMessage"] for body in fake.bodies] == ["0", "0", "1", "2"]
    keys = fake.header("idempotency-key")
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_so_many_are_sent_at_once_and_no_more() -> None:
    async def send(memory: AsyncClient) -> Stats:
        for n in range(100):
            memory.update_later(str(n), "Hi", "Ok")
        return await memory.close()

    for settings, most in (({}, 32), ({"concurrency": 5}, 5)):
        fake = Fake(lambda request: Answer(LEARNED, after=0.02))
        assert run(client(fake, **settings), send).sent == 100
        assert fake.most_at_once == most


def test_a_full_queue_refuses_and_says_so() -> None:
    results: list[Any] = []

    async def send(memory: AsyncClient) -> Stats:
        taken = [memory.update_later("ada", "x" * 100, "Ok") for _ in range(5)]
        assert taken == [True] * 3 + [False] * 2
        return await memory.close()

    items = client(Answer(LEARNED), max_items=3, on_result=results.append)
    assert run(items, send) == stats(accepted=3, sent=3, rejected=2)
    assert sorted(result.outcome for result in results) == ["rejected"] * 2 + ["sent"] * 3
    assert {result.user_id for result in results} == {"ada"}
    assert run(client(Answer(LEARNED), max_bytes=350), send).rejected == 2


def test_a_loss_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def send(memory: AsyncClient) -> None:
        memory.update_later("ada", "canary", "Ok")
        memory.update_later("ada", "canary", "Ok")
        await memory.close()

    run(client(failure(401, "UNAUTHORIZED"), max_items=1), send)
    logged = [record.getMessage() for record in caplog.records]
    assert len(logged) == 2
    assert "rejected" in logged[0]
    assert "401 UNAUTHORIZED" in logged[1]
    assert "canary" not in "".join(logged)


def test_what_can_not_succeed_fails_at_once() -> None:
    fake = Fake(failure(401, "UNAUTHORIZED"), Answer(LEARNED))

    async def send(memory: AsyncClient) -> Stats:
        memory.update_later("ada", "1", "Ok")
        memory.update_later("ada", "2", "Ok")
        return await memory.close()

    assert run(client(fake), send) == stats(accepted=2, failed=1, sent=1)
    assert len(fake.requests) == 2


def test_close_drops_what_is_left_and_counts_it() -> None:
    results: list[Any] = []

    async def send(memory: AsyncClient) -> Stats:
        for user in "aab":
            memory.update_later(user, "Hi", "Ok")
        began = asyncio.get_running_loop().time()
        closed = await memory.close(0.3)
        assert asyncio.get_running_loop().time() - began < 1.5
        assert memory.update_later("ada", "Hi", "Ok") is False
        assert memory.stats.rejected == 1
        return closed

    closed = run(client(Answer(LEARNED, after=60), on_result=results.append), send)
    assert closed == stats(accepted=3, dropped=3)
    assert [result.outcome for result in results] == ["dropped"] * 3 + ["rejected"]


def test_an_event_loop_that_ends_drops_and_counts() -> None:
    results: list[Any] = []

    async def send(memory: AsyncClient) -> None:
        for user in "aab":
            memory.update_later(user, "Hi", "Ok")
        await asyncio.sleep(0.05)

    memory = client(Answer(LEARNED, after=60), on_result=results.append)
    run(memory, send)
    assert [result.outcome for result in results] == ["dropped"] * 3
    assert memory.stats == stats(accepted=3, dropped=3)


def test_what_is_dropped_before_its_turn_comes_counts_too() -> None:
    results: list[Any] = []

    async def send(memory: AsyncClient) -> Stats:
        for user in "aab":
            memory.update_later(user, "Hi", "Ok")
        return await memory.close(0)

    memory = client(Answer(LEARNED), on_result=results.append)
    assert run(memory, send) == stats(accepted=3, dropped=3)
    assert [result.outcome for result in results] == ["dropped"] * 3


def test_flush_waits_until_all_are_sent() -> None:
    async def send(memory: AsyncClient) -> None:
        memory.update_later("ada", "Hi", "Ok")
        assert (await memory.flush(0.01)).pending == 1
        assert (await memory.flush()) == stats(accepted=1, sent=1)
        memory.update_later("ada", "Hi", "Ok")
        assert (await memory.flush()).sent == 2
        await memory.close()

    run(client(Answer(LEARNED, after=0.2)), send)


class FastAsyncio:
    """asyncio, in which the queue waits shorter."""

    def __init__(self, speed: float) -> None:
        self.speed = speed

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.speed)

    async def wait(self, tasks: Any, timeout: float) -> Any:
        return await asyncio.wait(tasks, timeout=timeout / self.speed)


class FastTime:
    """A clock that runs faster, for the queue alone."""

    def __init__(self, speed: float) -> None:
        self.speed, self.began = speed, time.monotonic()

    def monotonic(self) -> float:
        return self.began + (time.monotonic() - self.began) * self.speed


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxmem._updates.asyncio", FastAsyncio(100))
    monkeypatch.setattr("ctxmem._updates.time", FastTime(100))


@pytest.mark.usefixtures("fast")
def test_what_waits_for_an_outage_to_end_does_not_age() -> None:
    is_down = True
    fake = Fake(lambda request: UNREACHABLE if is_down else Answer(LEARNED))

    async def send(memory: AsyncClient) -> Stats:
        nonlocal is_down
        for n in range(50):
            memory.update_later(str(n), "Hi", "Ok")
        await memory.flush(300)  # more than twice as long as max_age
        assert memory.stats == stats(accepted=50, pending=50)
        is_down = False
        return await memory.close(60)

    assert run(client(fake), send) == stats(accepted=50, sent=50)
    # What is that old says when it was.
    assert all("at" in body for body in fake.bodies[-50:])
    assert "at" not in fake.bodies[0]


@pytest.mark.usefixtures("fast")
def test_in_a_full_queue_the_old_make_room() -> None:

    async def send(memory: AsyncClient) -> Stats:
        for n in range(10):
            assert memory.update_later(str(n), "Hi", "Ok")
        await memory.flush(60)
        assert not memory.update_later("new", "Hi", "Ok"), "two minutes are not over"
        await memory.flush(120)
        assert memory.stats.failed == 1, "no more than has to"
        assert memory.update_later("new", "Hi", "Ok")
        return await memory.close(0)

    assert run(client(UNREACHABLE, max_items=10), send) == stats(accepted=11, failed=1, dropped=10, rejected=1)


@pytest.mark.usefixtures("fast")
def test_what_fails_alone_is_given_up() -> None:
    fake = Fake(lambda request: failure(500) if b"poison" in request.content else Answer(LEARNED))

    async def send(memory: AsyncClient) -> Stats:
        memory.update_later("ada", "poison", "Ok")
        memory.update_later("ada", "after it", "Ok")
        for _ in range(100):
            memory.update_later("bob", "Hi", "Ok")
            await memory.flush(5)
        return await memory.close(60)

    assert run(client(fake), send) == stats(accepted=102, failed=1, sent=101)


def test_a_wait_that_the_service_asks_for_holds_for_all() -> None:
    times: list[float] = []

    def answer(request: httpx.Request) -> Answer:
        times.append(asyncio.get_running_loop().time())
        return failure(429, "RATE_LIMITED", retry_after="1") if len(times) == 1 else Answer(LEARNED)

    async def send(memory: AsyncClient) -> Stats:
        memory.update_later("ada", "Hi", "Ok")
        await asyncio.sleep(0.1)
        memory.update_later("bob", "Hi", "Ok")
        return await memory.close()  # does not shorten it

    assert run(client(Fake(answer)), send) == stats(accepted=2, sent=2)
    assert all(time - times[0] >= 1 for time in times[1:])


@pytest.mark.usefixtures("fast")
def test_a_time_that_is_refused_is_left_out() -> None:
    def answer(request: httpx.Request) -> Answer:
        return failure(400, "BAD_REQUEST") if b'"at"' in request.content else Answer(LEARNED)

    answers = [UNREACHABLE] * 300 + [answer]

    async def send(memory: AsyncClient) -> Stats:
        memory.update_later("ada", "Hi", "Ok")
        return await memory.close(600)

    fake = Fake(*answers)
    assert run(client(fake), send) == stats(accepted=1, sent=1)
    assert ["at" in body for body in fake.bodies[-2:]] == [True, False]
    assert len(set(fake.header("idempotency-key"))) == 1


def test_a_callback_that_raises_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def raises(result: Any) -> None:
        raise ValueError("canary")

    async def send(memory: AsyncClient) -> Stats:
        for n in range(3):
            memory.update_later("ada", str(n), "Ok")
        return await memory.close()

    assert run(client(Answer(LEARNED), on_result=raises), send).sent == 3
    assert "ValueError" in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.parametrize("letter", ["x", "é", "☂", "\n", "\x00", '"', "\ud83d"])
def test_of_an_oversized_turn_the_answer_is_cut(letter: str) -> None:
    item = Interaction("ada", "I moved to Lisbon.", letter * 2_000_000)
    assert item.user_message == "I moved to Lisbon."
    assert MAX_TEXT * 0.9 < item.size <= MAX_TEXT + 10
    item = Interaction("ada", letter * 2_000_000, "Enjoy it!")
    assert item.agent_response == ""
    assert MAX_TEXT * 0.9 < _size(item.user_message) <= MAX_TEXT


def test_a_body_is_never_larger_than_the_server_takes() -> None:
    fake = Fake(Answer(LEARNED))

    async def send(memory: AsyncClient) -> None:
        await memory.update("u" * 256, "\n" * 700_000, "é" * 700_000)
        assert memory.update_later("ada", "Hi", "x" * 3_000_000)
        await memory.close()

    run(client(fake), send)
    assert all(1_000_000 < len(request.content) <= 1 << 20 for request in fake.requests)
    assert KEY not in repr(fake.bodies)


def test_every_update_is_counted_once() -> None:
    random.seed(7)

    def answer(request: httpx.Request) -> Any:
        return random.choice([Answer(LEARNED, after=0.001), failure(400, "BAD_REQUEST"), UNREACHABLE, failure(503)])

    async def send(memory: AsyncClient) -> Stats:
        for _ in range(300):
            memory.update_later(random.choice("abcdefgh"), "Hi", "Ok")
            if random.random() < 0.3:
                await asyncio.sleep(0.001)
            now = memory.stats
            assert now.accepted == now.pending + now.sent + now.failed + now.dropped
        return await memory.close(0.5)

    end = run(client(Fake(answer), max_items=60), send)
    assert end.pending == 0
    assert end.accepted + end.rejected == 300
    assert end.accepted == end.sent + end.failed + end.dropped
    assert min(end.sent, end.failed, end.rejected) > 0


def test_close_ends_whenever_it_comes() -> None:
    # A wake-up and a cancellation at the same moment: neither may get lost.
    async def send() -> None:
        for _ in range(100):
            memory = client(UNREACHABLE)
            for n in range(3):
                memory.update_later(str(n), "Hi", "Ok")
            await memory.flush(0.002)
            await asyncio.wait_for(memory.close(0), 5)
            assert memory.stats == stats(accepted=3, dropped=3)

    asyncio.run(send())


def test_a_time_is_a_datetime_or_a_text() -> None:
    fake = Fake(Answer(LEARNED))

    async def send(memory: AsyncClient) -> None:
        await memory.update("ada", "Hi", "Ok", at=datetime(2026, 3, 1, 9, 30, tzinfo=timezone.utc))
        await memory.update("ada", "Hi", "Ok", at="2026-03-01T09:30:00Z")

    run(client(fake), send)
    assert [body["at"] for body in fake.bodies] == ["2026-03-01T09:30:00+00:00", "2026-03-01T09:30:00Z"]
