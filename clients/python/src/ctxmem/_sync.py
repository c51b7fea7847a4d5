"""The client for programs without asyncio: it runs an `AsyncClient` on a thread of its own."""

from __future__ import annotations

import asyncio
import atexit
import functools
import os
import threading
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Concatenate, ParamSpec, TypeVar

from ._client import AsyncClient, Settings
from ._system import Turn
from ._updates import Stats

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(method: Callable[Concatenate[AsyncClient, P], Awaitable[T]]) -> Callable[Concatenate[Client, P], T]:
    @functools.wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._run(lambda memory: method(memory, *args, **kwargs))

    return call


class Client(Settings):
    """The memory. Make one for the program and close it at the end; threads may share it.

    Its methods do what those of `AsyncClient` do. A forked process gets a thread and a queue of its own.
    """

    inject = _blocking(AsyncClient.inject)
    inject_or_base = _blocking(AsyncClient.inject_or_base)
    update = _blocking(AsyncClient.update)
    flush = _blocking(AsyncClient.flush)
    context = _blocking(AsyncClient.context)
    delete_context = _blocking(AsyncClient.delete_context)
    facts = _blocking(AsyncClient.facts)
    search_facts = _blocking(AsyncClient.search_facts)
    delete_fact = _blocking(AsyncClient.delete_fact)
    create_grant = _blocking(AsyncClient.create_grant)
    health = _blocking(AsyncClient.health)
    check_key = _blocking(AsyncClient.check_key)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._starting = threading.Lock()
        self._process, self._is_closed = 0, False

    def turn(self, user_id: str, base_prompt: str, message: str) -> Turn:
        """A turn: `with memory.turn(…) as turn`. It begins with an inject and never fails because of memory."""
        return Turn(self, user_id, base_prompt, message)

    def update_later(self, user_id: str, user_message: str, agent_response: str) -> bool:
        """Queues an update to be sent in the background. Returns whether there was room. Never raises."""
        return self._run(lambda memory: _soon(lambda: memory.update_later(user_id, user_message, agent_response)))

    @property
    def stats(self) -> Stats:
        """What became of the updates in the background."""
        return self._run(lambda memory: _soon(lambda: memory.stats))

    def close(self, timeout: float = 5.0) -> Stats:
        """Gives the last updates a moment, then drops the rest. It also happens when the program ends, in 2 s."""
        stats = self._run(lambda memory: memory.close(timeout))
        with self._starting:
            if self._process == os.getpid():
                self._process, self._is_closed = 0, True
                _open.discard(self)
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()
        return stats

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, call: Callable[[AsyncClient], Awaitable[T]]) -> T:
        if self._process != os.getpid():
            self._start()

        async def run() -> T:
            return await call(self._memory)

        future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _start(self) -> None:
        with self._starting:
            if self._process == os.getpid():
                return
            if not self._is_closed:
                self._memory = AsyncClient(**{item.name: getattr(self, item.name) for item in fields(self)})
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="ctxmem", daemon=True)
            self._thread.start()
            self._process = os.getpid()
            _open.add(self)


_open: set[Client] = set()


async def _soon(call: Callable[[], T]) -> T:
    return call()


@atexit.register
def _close_all() -> None:
    for client in [client for client in _open if client._process == os.getpid()]:
        client.close(2.0)
