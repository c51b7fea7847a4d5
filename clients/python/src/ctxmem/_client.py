"""The clients: `AsyncClient`, and `Client`, which runs one on a thread of its own."""

from __future__ import annotations

import asyncio
import atexit
import functools
import json
import logging
import os
import re
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from . import types
from ._records import Mismatch, Record, parse
from ._system import AsyncTurn, System, Turn
from ._updates import Interaction, Moment, Stats, UpdateResult, Updates, cut, encode
from .errors import ApiError, Breaker, DecodeError, Error, TransportError, backoff

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=Record)
log = logging.getLogger("ctxmem")
VERSION = "0.1.0"


@dataclass(eq=False, repr=False)
class Settings:
    """What both clients are made with. Times are in seconds and cover everything, retries included."""

    #: The service's address. By default, the environment's CTXMEM_BASE_URL.
    base_url: str = ""
    #: The agent's key. By default, the environment's CTXMEM_API_KEY.
    api_key: str = ""
    #: Whether prompts may hold demo facts, which a new server shows until a first fact is stored.
    demo: bool = False
    inject_timeout: float = 0.8
    update_timeout: float = 60.0
    timeout: float = 10.0
    #: How many updates are sent at once in the background, each of another user.
    concurrency: int = 32
    #: How many updates may wait, and the bytes of their texts.
    max_items: int = 1000
    max_bytes: int = 4 << 20
    #: From this age on, an update that fails makes room in a full queue.
    max_age: float = 120.0
    #: Called with each update's result, in the client's event loop.
    on_result: Callable[[UpdateResult], None] | None = None
    #: Further headers of each request.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Sends the requests in place of httpx's own transport.
    transport: httpx.AsyncBaseTransport | None = None

    def __post_init__(self) -> None:
        self.base_url = (self.base_url or os.environ.get("CTXMEM_BASE_URL", "")).rstrip("/")
        self.api_key = self.api_key or os.environ.get("CTXMEM_API_KEY", "")
        if urlsplit(self.base_url).scheme not in ("http", "https") or not urlsplit(self.base_url).hostname:
            raise ValueError("base_url, or CTXMEM_BASE_URL, must be an address such as https://memory.example.com")
        if not re.fullmatch(r"[!-~]+", self.api_key):
            raise ValueError("api_key, or CTXMEM_API_KEY, must be the key of an agent")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({urlsplit(self.base_url).hostname!r})"


class AsyncClient(Settings):
    """The memory, for programs on asyncio. Make one for an event loop, and close it at the end."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._breaker = Breaker()
        # Ten retries to begin with, and one more for every ten successes, so that they don't prolong an outage.
        self._retries = 10.0
        self._updates = Updates(self)
        self._warned: dict[str, tuple[float, int]] = {}
        self._is_closed = False
        address = urlsplit(self.base_url)
        proxy = None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=70.0)
        # A transport, because httpx's clients log addresses, and those hold user ids.
        self._http = self.transport or httpx.AsyncHTTPTransport(limits=limits, proxy=proxy)

    def turn(self, user_id: str, base_prompt: str, message: str) -> AsyncTurn:
        """A turn: `async with memory.turn(…) as turn`. It begins with an inject and never fails because of memory."""
        return AsyncTurn(self, user_id, base_prompt, message)

    async def inject(self, user_id: str, base_prompt: str, message: str | None = None) -> System:
        """The system prompt for this user. With the user's current message it may have `relevant` as well.

        Raises an `Error` if the call fails, and ends within `inject_timeout`.
        """
        body = {"userId": user_id, "basePrompt": base_prompt}
        if message and message.strip():
            body["message"] = cut(message, 16 << 10)
        try:
            answer = await self._call(types.InjectResponse, "POST", _path("inject"), body, self.inject_timeout)
            if base_prompt not in answer.injected_prompt:
                raise DecodeError("it does not contain the base prompt")
        except Error as error:
            self.warn("a prompt goes without memory", error)
            raise
        system = System(base_prompt, answer)
        if system.is_seeded and not self.demo:
            # Nothing is stored about this user.
            return System(base_prompt, types.InjectResponse(injected_prompt=base_prompt, reason="empty"))
        return system

    async def inject_or_base(self, user_id: str, base_prompt: str, message: str | None = None) -> System:
        """As `inject`, but without memory the prompt is the base prompt, and `fallback` says why.

        After five outages in a row nothing is sent for five seconds, so that turns don't wait for time-outs.
        """
        fallback: Error | None = self._breaker.is_open()
        if fallback is None:
            try:
                system = await self.inject(user_id, base_prompt, message)
                self._breaker.record(None)
                return system
            except Error as error:
                self._breaker.record(fallback := error)
        return System(base_prompt, types.InjectResponse(injected_prompt=base_prompt), fallback)

    async def update(
        self, user_id: str, user_message: str, agent_response: str, at: Moment = None, idempotency_key: str = ""
    ) -> types.UpdateResponse:
        """Learns from an exchange and answers what was stored, which may take a minute.

        `at` is when it was: a `datetime` with a time zone, or a text in RFC 3339.
        """
        item = Interaction(user_id, user_message, agent_response, at, idempotency_key or str(uuid.uuid4()))
        return await self.send_update(item, retries=2)

    async def send_update(self, item: Interaction, retries: int) -> types.UpdateResponse:
        texts = {"userMessage": item.user_message, "agentResponse": item.agent_response}
        body = {"userId": item.user_id, **texts, **({"at": item.at} if item.at else {})}
        key, timeout = item.idempotency_key, self.update_timeout
        return await self._call(types.UpdateResponse, "POST", "/api/context/update", body, timeout, key, retries)

    def update_later(self, user_id: str, user_message: str, agent_response: str) -> bool:
        """Queues an update to be sent in the background. Returns whether there was room. Never waits or raises."""
        return self._updates.push(Interaction(user_id, user_message, agent_response))

    @property
    def stats(self) -> Stats:
        """What became of the updates in the background."""
        return self._updates.stats

    async def flush(self, timeout: float = 5.0) -> Stats:
        """Waits until the queue is empty, or the time runs out."""
        return await self._updates.flush(timeout)

    async def close(self, timeout: float = 5.0) -> Stats:
        """Gives the last updates a moment, then drops the rest. The stats say what became of all."""
        stats = await self._updates.close(timeout)
        self._is_closed = True
        await self._http.aclose()
        return stats

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def context(self, user_id: str) -> types.Context:
        """All that is stored about the user, in the granted scopes."""
        return await self._call(types.Context, "GET", _path(user_id))

    async def delete_context(self, user_id: str) -> types.DeleteResponse:
        """Erases everything stored about the user, for good, and revokes every grant of theirs, this agent's too.

        The agent can't undo that: only the user can allow it again, on the page at the answer's `consent_url`.
        """
        return await self._call(types.DeleteResponse, "DELETE", _path(user_id), key=str(uuid.uuid4()))

    async def facts(self, user_id: str) -> list[types.FactRecord]:
        """The facts about the user one by one, each with the id by which it can be deleted."""
        return (await self._call(types.FactsResponse, "GET", _path(user_id, "facts"))).facts

    async def search_facts(self, user_id: str, query: str, limit: int = 10) -> list[types.FactRecord]:
        """The facts that bear on the query, the nearest first."""
        body = {"query": query, "limit": limit}
        return (await self._call(types.FactsResponse, "POST", _path(user_id, "facts", "search"), body)).facts

    async def delete_fact(self, user_id: str, fact_id: str) -> bool:
        """Deletes a fact that this agent stored, for good."""
        path = _path(user_id, "facts", fact_id)
        return (await self._call(types.DeleteResponse, "DELETE", path, key=str(uuid.uuid4()))).deleted

    async def create_grant(
        self, user_id: str, agent_id: str, scopes: Sequence[types.Scope], expires_at: str | None = None
    ) -> types.Grant:
        """Asks for scopes. If the user decides, the error's `consent_url` is the page where they do."""
        body = {"userId": user_id, "agentId": agent_id, "scopes": list(scopes), "expiresAt": expires_at}
        return (await self._call(types.GrantResponse, "POST", "/api/grants", body)).grant

    async def health(self) -> types.Health:
        """How the service is, also if it is not well. It needs no key."""
        return await self._call(types.Health, "GET", "/api/health", retries=0)

    async def check_key(self) -> None:
        """Raises an `Error` unless the service can be reached and takes the key. Call it when your program starts."""
        try:
            await self.context(str(uuid.uuid4()))
        except ApiError as error:
            if error.code != "FORBIDDEN" and not (error.code == "NOT_FOUND" and await self.health()):
                raise

    async def _call(
        self, form: type[R], method: str, path: str, body: Mapping[str, Any] | None = None,
        timeout: float | None = None, key: str | None = None, retries: int = 2,
    ) -> R:
        until = time.monotonic() + (timeout or self.timeout)
        headers = {"User-Agent": f"ctxmem-python/{VERSION}", **self.headers, "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self.api_key}", **({"Idempotency-Key": key} if key else {})}
        content = None if body is None else encode(body)
        attempts = 0
        while True:
            try:
                request = httpx.Request(method, self.base_url + path, headers=headers, content=content)
                result = _read(form, await self._attempt(request, until - time.monotonic()))
                self._retries = min(self._retries + 0.1, 10.0)
                return result
            except Error as error:
                wait = (error.retry_after or 0.0) + backoff(attempts := attempts + 1, 0.1, 2.0)
                is_in_time = time.monotonic() + wait < until
                if attempts > retries or not error.is_retryable or not is_in_time or self._retries < 1:
                    raise
                self._retries -= 1
                await asyncio.sleep(wait)

    async def _attempt(self, request: httpx.Request, seconds: float) -> httpx.Response:
        if self._is_closed:
            raise Error("the client is closed")

        async def exchange() -> httpx.Response:
            response = await self._http.handle_async_request(request)
            await response.aread()
            return response

        task = asyncio.ensure_future(exchange())
        try:
            # Not `wait_for`, which before Python 3.12 may swallow a cancellation, and waits for what it cancels.
            done, _ = await asyncio.wait([task], timeout=max(seconds, 0.0))
            if not done:
                raise httpx.ReadTimeout("")
            return task.result()
        except httpx.TimeoutException:
            raise TransportError("the service did not answer in time", is_timeout=True) from None
        except httpx.ConnectError:
            raise TransportError("could not connect to the service") from None
        except Exception as error:  # a transport of the caller's may raise anything
            raise TransportError(f"the connection to the service failed: {type(error).__name__}") from None
        finally:
            task.cancel()

    def warn(self, problem: str, cause: object) -> None:
        """Logs a problem at once, then at most once a minute, with how often it came in between."""
        kind, now = f"{problem} {type(cause).__name__} {getattr(cause, 'status', '')}", time.monotonic()
        logged, unlogged = self._warned.get(kind, (now - 60.0, 0))
        is_due = now - logged >= 60.0
        self._warned[kind] = (now, 0) if is_due else (logged, unlogged + 1)
        if is_due:
            log.warning("%s: %s%s", problem, cause, f" ({unlogged} more since the last warning)" if unlogged else "")


def _path(*segments: str) -> str:
    if not {"", ".", ".."}.isdisjoint(segments):
        raise Error("an id is empty or a dot")
    return "/".join(["/api/context", *(quote(segment, safe="", errors="replace") for segment in segments)])


def _read(form: type[R], answer: httpx.Response) -> R:
    if not answer.is_success and not (form is types.Health and answer.status_code == 503):
        raise ApiError(answer.status_code, answer.headers, answer.content)
    try:
        body = json.loads(answer.content)
        if form is types.Health and isinstance(body, dict) and isinstance(body.get("ok"), bool):
            body = {"status": "ok" if body["ok"] else "unavailable", **body}
        return parse(form, body)
    except (Mismatch, ValueError, RecursionError) as error:
        problem = str(error) if isinstance(error, Mismatch) else "it is not JSON"
        request_id = answer.headers.get("x-request-id")
        raise DecodeError(problem, status=answer.status_code, request_id=request_id) from None


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
        texts = (user_id, user_message, agent_response)
        return self._run(lambda memory: asyncio.sleep(0, memory.update_later(*texts)))

    @property
    def stats(self) -> Stats:
        """What became of the updates in the background."""
        return self._run(lambda memory: asyncio.sleep(0, memory.stats))

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

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result()

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


@atexit.register
def _close_all() -> None:
    for client in [client for client in _open if client._process == os.getpid()]:
        client.close(2.0)
