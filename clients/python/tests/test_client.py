"""Calls: prompts in any case, retries, errors, and what is left out."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from fake import BASE, ENRICHED, HINT, KEY, KNOWN, LEARNED, Answer, Fake, client, failure

from ctxmem import Access, ApiError, AsyncClient, CircuitOpen, Client, DecodeError, Error, TransportError
from ctxmem.types import InjectResponse

NO_GRANT = {"injectedPrompt": BASE, "reason": "no_grant"}
SEEDED = {"injectedPrompt": f"System:\ndemo\n\n{BASE}", "reason": "seeded_demo", "seeded": True, "cacheHint": HINT}
UNREACHABLE = httpx.ConnectError("canary")


def run(memory: AsyncClient, call: Callable[[AsyncClient], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        try:
            return await call(memory)
        finally:
            await memory.close(0)

    return asyncio.run(main())


def inject(*answers: Any, **settings: Any) -> Any:
    return run(client(*answers, **settings), lambda memory: memory.inject_or_base("ada", BASE, "Hi"))


def test_an_answer_is_the_prompt() -> None:
    system = inject(Answer(ENRICHED | {"relevant": "Notes:\n- bees"}))
    assert system.prompt == ENRICHED["injectedPrompt"]
    assert (system.context, system.fallback, system.access) == (KNOWN, None, Access.GRANTED)
    assert system.user_message("Hi") == "Notes:\n- bees\n\nHi"


def test_what_is_sent() -> None:
    fake = Fake(Answer(ENRICHED))
    inject(fake)
    assert fake.bodies == [{"userId": "ada", "basePrompt": BASE, "message": "Hi"}]
    assert fake.header("authorization") == [f"Bearer {KEY}"]
    assert fake.header("idempotency-key") == [None]
    assert str(fake.requests[0].url) == "http://memory.test/api/context/inject"


def test_of_a_long_message_the_beginning_is_sent() -> None:
    fake = Fake(Answer(ENRICHED))
    run(client(fake), lambda memory: memory.inject("ada", BASE, "é" * 20_000))
    sent = fake.bodies[0]["message"]
    assert 15_000 < len(sent.encode()) <= 16_384
    run(client(fake := Fake(Answer(ENRICHED))), lambda memory: memory.inject("ada", BASE, " \n"))
    assert "message" not in fake.bodies[0]


@pytest.mark.parametrize("relevant", [None, "", " \n"])
def test_without_relevant_facts_the_message_is_what_was_said(relevant: str | None) -> None:
    system = inject(Answer(ENRICHED | {"relevant": relevant}))
    assert system.relevant is None
    assert system.user_message("Hi") == "Hi"


@pytest.mark.parametrize(
    "answer",
    [
        UNREACHABLE,
        httpx.ReadError("canary"),
        RuntimeError("canary"),
        *[failure(status) for status in (408, 425, 429, 500, 502, 503, 504)],
        Answer(b"{"),
        Answer(b"[" * 100_000),
        Answer(["canary"]),
        Answer({"injectedPrompt": 7}),
        Answer({"injectedPrompt": "somebody else's instructions"}),
        Answer(ENRICHED, after=5),
    ],
    ids=str,
)
def test_an_outage_leaves_the_base_prompt(answer: Any) -> None:
    system = inject(answer, inject_timeout=0.1)
    assert (system.prompt, system.context, system.access) == (BASE, None, Access.UNKNOWN)
    assert system.fallback.is_outage
    assert "canary" not in str(system.fallback) + repr(system.fallback) + repr(system)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404])
def test_a_refusal_leaves_the_base_prompt_and_does_not_pass(status: int) -> None:
    fake = Fake(failure(status, "CODE"))
    system = inject(fake)
    assert system.prompt == BASE
    assert not system.fallback.is_outage
    assert len(fake.requests) == 1, "it is not retried"


def test_the_deadline_covers_retries_and_slow_answers() -> None:
    async def timed(memory: AsyncClient) -> float:
        began = asyncio.get_running_loop().time()
        system = await memory.inject_or_base("ada", BASE)
        assert system.fallback
        return asyncio.get_running_loop().time() - began

    # With some time for a busy machine.
    assert 0.75 < run(client(Answer(ENRICHED, after=60)), timed) < 1.4
    # Each attempt takes half of the time.
    assert run(client(Answer(status=503, after=0.5)), timed) < 1.4


def test_an_inject_is_retried_within_its_time() -> None:
    fake = Fake(UNREACHABLE, failure(503), Answer(ENRICHED))
    assert inject(fake).context == KNOWN
    assert len(fake.requests) == 3
    # A wait that does not fit ends the call at once.
    system = inject(fake := Fake(failure(503, retry_after="3"), Answer(ENRICHED)))
    assert len(fake.requests) == 1
    assert system.fallback.retry_after == 3


def test_retries_have_a_budget() -> None:
    fake = Fake(failure(503))

    async def calls(memory: AsyncClient) -> None:
        for _ in range(20):
            with pytest.raises(ApiError):
                await memory.inject("ada", BASE)

    run(client(fake), calls)
    assert len(fake.requests) == 20 + 10


def test_after_five_outages_nothing_is_sent_and_the_cause_is_named() -> None:
    fake = Fake(failure(502))

    async def turns(memory: AsyncClient) -> list[Any]:
        return [await memory.inject_or_base("ada", BASE) for _ in range(8)]

    systems = run(client(fake), turns)
    assert [type(system.fallback) for system in systems] == [ApiError] * 5 + [CircuitOpen] * 3
    assert "502" in str(systems[-1].fallback)
    assert systems[-1].fallback.status == 502
    assert all(system.prompt == BASE for system in systems)
    sent = len(fake.requests)
    run(client(fake), lambda memory: memory.inject_or_base("ada", BASE))
    assert len(fake.requests) > sent, "each client has a breaker of its own"


def test_a_limit_opens_the_breaker_for_its_time() -> None:
    fake = Fake(failure(429, "RATE_LIMITED", retry_after="20"))

    async def turns(memory: AsyncClient) -> Any:
        await memory.inject_or_base("ada", BASE)
        return await memory.inject_or_base("ada", BASE)

    fallback = run(client(fake), turns).fallback
    assert len(fake.requests) == 1
    assert fallback.code == "RATE_LIMITED"
    assert 19 < fallback.retry_after <= 20


def test_a_cancelled_turn_says_nothing_about_the_service() -> None:
    is_slow = False
    # What can't be read is an outage that is not retried.
    fake = Fake(lambda request: Answer(ENRICHED, after=5) if is_slow else Answer(b"{"))

    async def turns(memory: AsyncClient) -> Any:
        nonlocal is_slow
        for _ in range(4):
            await memory.inject_or_base("ada", BASE)
        is_slow = True
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(memory.inject_or_base("ada", BASE), 0.05)
        is_slow = False
        assert isinstance((await memory.inject_or_base("ada", BASE)).fallback, DecodeError)
        return await memory.inject_or_base("ada", BASE)

    assert isinstance(run(client(fake), turns).fallback, CircuitOpen)


def test_demo_facts_are_left_out_unless_they_are_wanted() -> None:
    system = inject(Answer(SEEDED))
    assert (system.prompt, system.is_seeded, system.access, system.fallback) == (BASE, False, Access.GRANTED, None)
    assert "demo" not in json.dumps(system.place_in({}, "anthropic"))
    system = inject(Answer(SEEDED), demo=True)
    assert (system.prompt, system.is_seeded) == (SEEDED["injectedPrompt"], True)
    # What a provider caches for all users is the base prompt alone.
    assert "demo" not in json.dumps(system.place_in({}, "anthropic"))


PAGE = "https://memory.test/consent/1"


@pytest.mark.parametrize(
    ("reason", "page", "access", "learns"),
    [
        (None, None, Access.GRANTED, True),
        ("empty", None, Access.GRANTED, True),
        ("empty_capsule", None, Access.GRANTED, True),
        ("no_grant", PAGE, Access.MUST_ASK, False),
        ("no_grant", None, Access.DENIED, False),
        ("no_scopes", None, Access.NO_SCOPES, False),
        ("on_holiday", None, Access.UNKNOWN, True),
    ],
)
def test_access_decides_what_is_learned(reason: str, page: str | None, access: Access, learns: bool) -> None:
    fake = Fake(Answer({"injectedPrompt": BASE, "reason": reason, "consent_url": page}), Answer(LEARNED))

    async def turn(memory: AsyncClient) -> None:
        async with memory.turn("ada", BASE, "Hi") as turn:
            assert (turn.access, turn.consent_url, turn.prompt) == (access, page, BASE)
            assert turn.finish("Hello") is learns
        await memory.flush()

    run(client(fake), turn)
    assert len(fake.requests) == 1 + learns


def test_a_turn_sends_what_was_said() -> None:
    fake = Fake(Answer(ENRICHED | {"relevant": "Notes"}), Answer(LEARNED))

    async def turn(memory: AsyncClient) -> None:
        async with memory.turn("ada", BASE, "Hi") as turn:
            assert turn.user_message == "Notes\n\nHi"
            for piece in ["Hel", "lo"]:
                turn.push(piece)
            assert turn.finish()
            assert not turn.finish("again")
        await memory.flush()

    run(client(fake), turn)
    assert fake.bodies[1:] == [{"userId": "ada", "userMessage": "Hi", "agentResponse": "Hello"}]


def test_nothing_is_learned_from_a_turn_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    fake = Fake(Answer(ENRICHED))

    async def turn(memory: AsyncClient) -> None:
        with pytest.raises(ZeroDivisionError):
            async with memory.turn("ada", BASE, "Hi"):
                raise ZeroDivisionError
        assert not caplog.records
        async with memory.turn("ada", BASE, "Hi"):
            pass

    run(client(fake), turn)
    assert len(fake.requests) == 2
    assert ["finish()" in record.message for record in caplog.records] == [True]


def test_an_update_keeps_its_key_over_retries() -> None:
    fake = Fake(UNREACHABLE, failure(503, retry_after="0"), Answer(LEARNED))
    learned = run(client(fake), lambda memory: memory.update("ada", "I live in Lisbon", "Ok"))
    assert list(learned.delta.facts()) == [("general", "location", "Lisbon")]
    assert len(set(fake.header("idempotency-key"))) == 1
    assert len(fake.requests) == 3
    fake = Fake(Answer(LEARNED))
    run(client(fake), lambda memory: memory.update("ada", "Hi", "Ok", idempotency_key="message-1"))
    assert fake.header("idempotency-key") == ["message-1"]


def test_retry_after_is_respected() -> None:
    fake = Fake(failure(429, "RATE_LIMITED", retry_after="1"), Answer(LEARNED))

    async def timed(memory: AsyncClient) -> float:
        began = asyncio.get_running_loop().time()
        await memory.update("ada", "Hi", "Ok")
        return asyncio.get_running_loop().time() - began

    assert 1 <= run(client(fake), timed) < 2.5


def test_an_error_says_what_and_where() -> None:
    body = {"error": "scopes[3]: canary", "code": "BAD_REQUEST"}
    with pytest.raises(ApiError) as caught:
        run(client(Answer(body, 400, x_request_id="r-1")), lambda memory: memory.create_grant("ada", "a", ["goals"]))
    error = caught.value
    assert (error.status, error.code, error.field, error.request_id) == (400, "BAD_REQUEST", "scopes", "r-1")
    assert error.message == "scopes[3]: canary"
    assert str(error) == "the service answered 400 BAD_REQUEST, about scopes (request r-1)"
    too_large = ApiError(413, {}, b'{"error": "body: it is larger than this server accepts.", "code": "BAD_REQUEST"}')
    assert "about body" in str(too_large)


def test_consent_is_asked_for_where_an_error_says_so() -> None:
    body = {"error": "canary", "code": "FORBIDDEN", "consent_url": PAGE}
    with pytest.raises(ApiError) as caught:
        run(client(Answer(body, 403)), lambda memory: memory.update("ada", "Hi", "Ok"))
    assert caught.value.consent_url == PAGE
    assert PAGE not in str(caught.value)


@pytest.mark.parametrize(
    "body", [b"", b"canary", b"[1]", b"[" * 100_000, b'{"error": 1, "code": "canary said"}', b'{"code": null}']
)
def test_no_error_shows_what_was_answered(body: bytes) -> None:
    error = ApiError(500, {"x-request-id": "canary\n x"}, body)
    assert "canary" not in str(error)
    assert error.status == 500
    assert "canary" not in str(DecodeError("it is not JSON", status=200, request_id="canary\n x"))


def test_health_is_read_in_every_form() -> None:
    for answer, status in [
        (Answer({"status": "ok", "checks": {"database": "ok"}, "timestamp": "t"}), "ok"),
        (Answer({"status": "degraded", "checks": {}, "timestamp": "t"}, 503), "degraded"),
        (Answer({"ok": True}), "ok"),
        (Answer({"ok": False}), "unavailable"),
    ]:
        assert run(client(answer), lambda memory: memory.health()).status == status
    with pytest.raises(DecodeError):
        run(client(Answer(b"<html>", 503)), lambda memory: memory.health())


def test_the_key_is_checked() -> None:
    run(client(failure(403, "FORBIDDEN")), lambda memory: memory.check_key())
    run(client(failure(404, "NOT_FOUND"), Answer({"ok": True})), lambda memory: memory.check_key())
    for answer in (failure(401, "UNAUTHORIZED"), failure(403), failure(404), failure(404, "NOT_FOUND")):
        with pytest.raises(Error):
            run(client(answer), lambda memory: memory.check_key())


def test_ids_are_quoted_in_addresses() -> None:
    fake = Fake(Answer({"deleted": True}))
    run(client(fake), lambda memory: memory.delete_fact("a/b?c ☂", "1/2"))
    assert fake.requests[0].url.raw_path == b"/api/context/a%2Fb%3Fc%20%E2%98%82/facts/1%2F2"
    assert fake.header("idempotency-key") != [None]
    for user in ("", ".", ".."):
        with pytest.raises(Error):
            run(client(fake), lambda memory, user=user: memory.context(user))
    assert len(fake.requests) == 1


def test_half_a_surrogate_pair_breaks_nothing() -> None:
    fake = Fake(Answer(LEARNED))
    run(client(fake), lambda memory: memory.update("ada", "cut \ud83d", "Ok"))
    assert fake.bodies[0]["userMessage"] == "cut ?"


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXMEM_BASE_URL", "http://env.test/")
    monkeypatch.setenv("CTXMEM_API_KEY", KEY)
    memory = AsyncClient()
    assert (memory.base_url, memory.api_key) == ("http://env.test", KEY)
    monkeypatch.delenv("CTXMEM_API_KEY")
    for wrong in ({}, {"base_url": "memory.test", "api_key": KEY}, {"api_key": "canary key"}):
        with pytest.raises(ValueError, match="CTXMEM") as caught:
            Client(**wrong)
        assert "canary" not in str(caught.value)


def test_nothing_personal_is_logged_or_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    fake = Fake(Answer(ENRICHED | {"injectedPrompt": f"canary\n\n{BASE}"}), failure(500, "CODE"))
    results: list[Any] = []

    async def calls(memory: AsyncClient) -> None:
        async with memory.turn("canary", BASE, "canary") as turn:
            turn.finish("canary")
        shown = [memory, turn, turn.system, turn.system.response]
        with pytest.raises(ApiError):
            await memory.context("canary")
        await memory.close(0.05)
        assert results
        assert "canary" not in repr([*shown, *results])

    run(client(fake, on_result=results.append), calls)
    run(client(fake), lambda memory: memory.inject_or_base("canary", "canary", "canary"))
    logged = "".join(f"{record.getMessage()} {record.args}" for record in caplog.records if record.name != "asyncio")
    assert caplog.records
    assert "canary" not in logged
    assert KEY not in logged


def test_a_kind_of_problem_is_logged_once_a_minute(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = client(failure(401, "UNAUTHORIZED"))
    now = 1000.0
    monkeypatch.setattr("ctxmem._client.time.monotonic", lambda: now)
    for _ in range(5):
        memory.warn("a prompt goes without memory", ApiError(401, {}))
    memory.warn("a prompt goes without memory", TransportError("down"))
    assert len(caplog.records) == 2
    now += 61
    memory.warn("a prompt goes without memory", ApiError(401, {}))
    assert "4 more" in caplog.records[-1].message


def test_a_closed_client_leaves_the_base_prompt() -> None:
    async def calls(memory: AsyncClient) -> None:
        await memory.close(0)
        async with memory.turn("ada", BASE, "Hi") as turn:
            assert turn.prompt == BASE
            assert turn.finish("Hello") is False

    run(client(Answer(ENRICHED)), calls)


def test_what_cannot_be_told_apart_stays_whole() -> None:
    for prompt in (f"{BASE}\n\nKnown.", f"Known.\n{BASE}", f"\n\n{BASE}", BASE):
        system = inject(Answer({"injectedPrompt": prompt}))
        assert (system.prompt, system.context) == (prompt, None)
        assert prompt in str(system.place_in({}, "other-chat")["messages"][0]["content"])
    assert InjectResponse(injected_prompt="p").seeded is False
