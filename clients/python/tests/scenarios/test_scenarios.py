"""What happens to turns and updates around a server that is killed, slow, unreachable or refuses the key.

They need a server (CTXMEM_SERVER) and print a line each. `CTXMEM_OUTAGE_SECONDS` is the length of the outage.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from service import Proxy, Server

from ctxmem import AsyncClient, CircuitOpen, Client, Stats

BASE = "You are a helpful assistant."
# Without a limit of requests, which other tests are about.
UNLIMITED = ("--rate-limit", "0")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, *UNLIMITED)
    yield server
    server.stop()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    proxy = Proxy(server)
    yield proxy
    proxy.stop()


@dataclass
class Run:
    """What was seen of the turns of a scenario."""

    turns: int = 0
    prompts: int = 0
    without_memory: int = 0
    slowest: float = 0.0
    unqueued: int = 0
    fallbacks: set[str] = field(default_factory=set)
    stats: Stats = field(default_factory=Stats)
    closing: float = 0.0


async def turns(memory: AsyncClient, users: int, each: int, pause: float = 0.0, answer: str = "Noted.") -> Run:
    """So many users with so many turns, each of which says something to remember."""
    run = Run()

    async def user(n: int) -> None:
        await asyncio.sleep(pause * n / users)
        for turn_number in range(each):
            began = time.monotonic()
            said = f"I use the editor Tool{n}x{turn_number} and I live in Town{turn_number}."
            async with memory.turn(f"user-{n}", BASE, said) as turn:
                run.slowest = max(run.slowest, time.monotonic() - began)
                run.turns += 1
                run.prompts += BASE in turn.prompt
                if turn.system.fallback:
                    run.without_memory += 1
                    run.fallbacks.add(type(turn.system.fallback).__name__)
                run.unqueued += not turn.finish(answer)
            await asyncio.sleep(pause)

    await asyncio.gather(*(user(n) for n in range(users)))
    return run


@asynccontextmanager
async def closing(memory: AsyncClient, seconds: float) -> AsyncIterator[Callable[[Run], Awaitable[None]]]:
    async def close(run: Run) -> None:
        began = time.monotonic()
        run.stats = await memory.close(seconds)
        run.closing = time.monotonic() - began

    try:
        yield close
    finally:
        await memory.close(0)


def report(name: str, run: Run, stored: int | None = None) -> None:
    stats = run.stats
    print(
        f"\n{name}: {run.prompts}/{run.turns} turns with a prompt, {run.without_memory} without memory, slowest "
        f"{run.slowest * 1000:.0f} ms; updates: {stats.accepted} accepted, {stats.sent} sent, {stats.failed} failed, "
        f"{stats.dropped} dropped, {stats.rejected} rejected; closed in {run.closing:.1f} s"
        + ("" if stored is None else f"; {stored} users with their last town stored"),
        flush=True,
    )


def assert_holds(run: Run, slowest: float = 2.0) -> None:
    """A prompt in each turn, and each update accounted for.

    Turns wait 0.8 s for memory, and for a processor that the server, the proxy and 40 users share.
    """
    stats = run.stats
    assert run.prompts == run.turns
    assert run.slowest < slowest
    assert stats.pending == 0
    assert stats.accepted == stats.sent + stats.failed + stats.dropped
    assert run.turns == stats.accepted + stats.rejected
    assert run.unqueued == stats.rejected


async def last_towns(server: Server, users: int, each: int) -> int:
    """For how many users what they said last is what is stored: everything arrived, and in order."""
    async with AsyncClient(server.url, server.key) as memory:
        contexts = await asyncio.gather(*(memory.context(f"user-{n}") for n in range(users)))
    return sum(context.general["location"].value == f"Town{each - 1}" for context in contexts)


def scenario(main: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(main())  # type: ignore[arg-type]


def test_all_well(server: Server) -> None:
    async def main() -> None:
        # More time than by default: what is to be seen is that the server answers, however busy the machine is.
        memory = AsyncClient(server.url, server.key, inject_timeout=10.0)
        async with closing(memory, 30) as close:
            run = await turns(memory, users=40, each=10, pause=1.0)
            await close(run)
        stored = await last_towns(server, 40, 10)
        report("all well", run, stored)
        assert_holds(run, slowest=11.0)
        assert run.without_memory == 0
        assert (run.stats.sent, stored) == (400, 40)

    scenario(main)


def test_the_server_is_killed_and_comes_back(server: Server) -> None:
    async def main() -> None:
        memory = AsyncClient(server.url, server.key)

        async def kill() -> None:
            await asyncio.sleep(3)
            server.kill()
            await asyncio.sleep(5)
            await asyncio.to_thread(server.start)

        async with closing(memory, 60) as close:
            run, _ = await asyncio.gather(turns(memory, users=40, each=15, pause=0.8), kill())
            await close(run)
        stored = await last_towns(server, 40, 15)
        report("kill -9, back after 5 s", run, stored)
        assert_holds(run)
        assert run.without_memory > 0, "the kill was noticed"
        assert (run.stats.sent, stored) == (600, 40)

    scenario(main)


def late(proxy: Proxy, server: Server, seconds: float, each: int) -> Run:
    """Forty users while every answer comes so late."""

    async def main() -> Run:
        proxy.delay = seconds
        memory = AsyncClient(proxy.url, server.key)
        async with closing(memory, 60) as close:
            run = await turns(memory, users=40, each=each)
            await close(run)
        stored = await last_towns(server, 40, each)
        report(f"answers {seconds:g} s late", run, stored)
        assert_holds(run)
        assert (run.stats.sent, stored) == (40 * each, 40)
        return run

    result: Run = scenario(main)
    return result


def test_answers_are_700_ms_late(proxy: Proxy, server: Server) -> None:
    late(proxy, server, 0.7, each=8)


def test_answers_are_2_s_late(proxy: Proxy, server: Server) -> None:
    run = late(proxy, server, 2.0, each=4)
    assert run.without_memory == run.turns
    assert CircuitOpen.__name__ in run.fallbacks, "not each turn waits"


def test_answers_are_cut_off(proxy: Proxy, server: Server) -> None:
    async def main() -> None:
        proxy.cuts = 0.3
        memory = AsyncClient(proxy.url, server.key)
        async with closing(memory, 60) as close:
            run = await turns(memory, users=40, each=8, pause=0.1)
            await close(run)
        stored = await last_towns(server, 40, 8)
        report("3 of 10 answers cut off", run, stored)
        assert_holds(run)
        assert (run.stats.sent, stored) == (320, 40)

    scenario(main)


def test_the_key_is_wrong(server: Server) -> None:
    async def main() -> None:
        memory = AsyncClient(server.url, server.key[:-4] + "0000")
        async with closing(memory, 30) as close:
            run = await turns(memory, users=40, each=4)
            await close(run)
        report("wrong key", run)
        assert_holds(run)
        assert run.without_memory == run.turns
        assert "ApiError" in run.fallbacks
        # They can't be sent, which is reported.
        assert run.stats.failed == 160

    scenario(main)


def outage(server: Server, seconds: float, max_items: int) -> Run:
    async def main() -> Run:
        memory = AsyncClient(server.url, server.key, max_items=max_items)

        async def away() -> None:
            await asyncio.sleep(1)
            server.kill()
            await asyncio.sleep(seconds)
            await asyncio.to_thread(server.start)

        async with closing(memory, 60) as close:
            each = 8
            pause = (seconds + 3) / each
            run, _ = await asyncio.gather(turns(memory, users=40, each=each, pause=pause), away())
            await close(run)
        return run

    return scenario(main)  # type: ignore[no-any-return]


def test_a_long_outage(server: Server) -> None:
    seconds = float(os.environ.get("CTXMEM_OUTAGE_SECONDS", "10"))
    run = outage(server, seconds, max_items=1000)
    stored = asyncio.run(last_towns(server, 40, 8))
    report(f"outage of {seconds:.0f} s", run, stored)
    assert_holds(run)
    assert run.without_memory > 0
    assert (run.stats.sent, stored) == (320, 40)


def test_a_long_outage_with_a_full_queue(server: Server) -> None:
    run = outage(server, 6, max_items=100)
    report("outage of 6 s, room for 100 updates", run)
    assert_holds(run)
    assert run.stats.rejected > 0
    assert run.stats.sent == run.stats.accepted


def test_an_oversized_answer_does_not_lose_the_message(server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.key) as memory:
            async with memory.turn("user-0", BASE, "I live in Town0.") as turn:
                assert turn.finish("é☂\n" * 1_000_000)
            stats = await memory.flush(60)
        assert stats.sent == 1
        assert await last_towns(server, 1, 1) == 1
        print("\nanswer of 6 MB: message stored", flush=True)

    scenario(main)


def test_the_same_with_the_synchronous_client(server: Server) -> None:
    from concurrent.futures import ThreadPoolExecutor

    memory = Client(server.url, server.key)
    results: list[bool] = []

    def user(n: int) -> None:
        for number in range(10):
            with memory.turn(f"user-{n}", BASE, f"I live in Town{number}.") as turn:
                results.append(BASE in turn.prompt)
                turn.finish("Noted.")
            time.sleep(0.3)

    with ThreadPoolExecutor(40) as threads:
        running = [threads.submit(user, n) for n in range(40)]
        time.sleep(1)
        server.kill()
        time.sleep(1.5)
        server.start()
        for future in running:
            future.result()
    stats = memory.close(60)
    stored = asyncio.run(last_towns(server, 40, 10))
    print(f"\nthreads, kill -9: {sum(results)}/400 turns with a prompt; {stats}; {stored} users", flush=True)
    assert results == [True] * 400
    assert (stats.accepted, stats.sent, stored) == (400, 400, 40)
