"""What servers say about waits, in every form in use."""

import time

import pytest

from ctxmem import ApiError, Error, TransportError
from ctxmem.errors import Breaker, backoff, wait_asked_for

# 2026-03-01T09:30:00Z.
NOW = 1_772_357_400
DATE = "Sun, 01 Mar 2026 09:30:00 GMT"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0), ("12", 12), (" 12 ", 12), ("1.5", 1.5), ("-3", 0), ("86400", 300),
        ("1772357430", 30), ("1772357430.25", 30.25), ("1772357000", 0), ("1772357430000", 30), ("9" * 26, 300),
        ("6m0s", 300), ("1m30s", 90), ("1.5s", 1.5), ("250ms", 0.25), ("1h", 300),
        ("Sun, 01 Mar 2026 09:30:45 GMT", 45), ("Sunday, 01-Mar-26 09:30:45 GMT", 45),
        ("Sun Mar  1 09:30:45 2026", 45), ("Sun, 01 Mar 2026 09:00:00 GMT", 0),
        ("2026-03-01T09:30:20Z", 20), ("2026-03-01T10:30:20.500+01:00", 20.5),
    ],
)  # fmt: skip
def test_every_form_in_use_is_understood(text: str, seconds: float) -> None:
    assert wait_asked_for(text, None, DATE) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", " ", "soon", "inf", "NaN", "1e5", "1.2.3", ".", "12 s", "5x", "s", "-", "-x", "٣"])
def test_what_is_not_understood_counts_as_absent(text: str) -> None:
    assert wait_asked_for(text, None, DATE) is None
    assert wait_asked_for(text, "60", DATE) == 60


def test_a_wrong_clock_is_corrected_by_the_date() -> None:
    assert wait_asked_for(None, str(NOW + 10), DATE) == 10
    assert wait_asked_for("2", str(NOW + 10), DATE) == 2
    # Without a date, the clock here has to do.
    assert wait_asked_for(None, str(time.time() + 10), "today") == pytest.approx(10, abs=1)


def test_backoff_grows_to_its_bound() -> None:
    for attempts in (1, 2, 5, 100_000):
        waits = [backoff(attempts, 0.1, 2.0) for _ in range(200)]
        longest = min(2.0, 0.1 * 2 ** min(attempts - 1, 30))
        assert all(0 <= wait <= longest for wait in waits)
        assert max(waits) > longest / 2


def limited(seconds: int) -> Error:
    return ApiError(429, {"retry-after": str(seconds)})


def test_five_outages_in_a_row_open_the_breaker() -> None:
    breaker, outage = Breaker(), TransportError("down")
    for _ in range(4):
        breaker.record(outage)
    assert breaker.is_open() is None
    breaker.record(outage)
    opened = breaker.is_open()
    assert opened
    assert opened.cause is outage
    assert 4 < opened.retry_after <= 5


def test_a_success_or_a_refusal_resets_the_breaker() -> None:
    for other in (None, ApiError(401, {})):
        breaker = Breaker()
        for _ in range(4):
            breaker.record(TransportError("down"))
        breaker.record(other)
        breaker.record(TransportError("down"))
        assert breaker.is_open() is None


def test_when_the_time_is_up_one_call_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    breaker, now = Breaker(), time.monotonic()
    for _ in range(5):
        breaker.record(TransportError("down"))
    monkeypatch.setattr("time.monotonic", lambda: now + 6)
    assert breaker.is_open() is None
    assert breaker.is_open() is not None
    breaker.record(None)
    assert breaker.is_open() is None


def test_the_service_may_ask_for_a_pause() -> None:
    breaker = Breaker()
    breaker.record(limited(30))
    opened = breaker.is_open()
    assert opened
    assert 29 < opened.retry_after <= 30


def test_a_pause_of_no_time_opens_nothing() -> None:
    breaker = Breaker()
    breaker.record(limited(0))
    assert breaker.is_open() is None
