"""Errors: why a call failed, and when to try again.

Their texts and `repr` hold no key, prompt, message, fact or user id, because errors end up in logs.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from .types import REQUEST_FIELDS


class Error(Exception):
    """Why a call failed."""

    #: The HTTP status, if there was an answer.
    status: int | None = None
    #: The service's error code, such as `FORBIDDEN`. An answer without one may come from a proxy.
    code: str | None = None
    #: The service's message, for people. It is not in the error's text: some deployments quote the request.
    message: str | None = None
    #: The field of the request that is wrong.
    field: str | None = None
    #: The id under which the service logged the request.
    request_id: str | None = None
    #: How many seconds the service asks to wait.
    retry_after: float | None = None
    #: The page where the user can allow this agent, if they have to be asked first.
    consent_url: str | None = None
    #: Whether the same call may succeed later. The client has already retried it.
    is_retryable: bool = False
    #: Whether the service is slow, down, rate limiting or broken, which passes.
    is_outage: bool = False


class TransportError(Error):
    """There was no connection, it broke, or no answer came in time (`is_timeout`)."""

    is_retryable = is_outage = True

    def __init__(self, text: str, *, is_timeout: bool = False) -> None:
        super().__init__(text)
        self.is_timeout = is_timeout


class DecodeError(Error):
    """The service answered with success, but in a form that can't be read."""

    is_outage = True

    def __init__(self, text: str, *, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(f"the answer can't be read: {text}" + _logged_as(request_id))
        self.status, self.request_id = status, request_id


class CircuitOpen(Error):
    """The service failed several times in a row or asked for a pause, so nothing was sent. `cause` says how."""

    is_outage = is_retryable = True

    def __init__(self, cause: Error, seconds: float) -> None:
        super().__init__(f"no call is sent for {math.ceil(seconds)} s, because of this: {cause}")
        self.cause, self.status, self.code, self.retry_after = cause, cause.status, cause.code, seconds


class ApiError(Error):
    """The service answered with an error."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        values = answer if isinstance(answer, dict) else {}
        texts = {name: value for name, value in values.items() if isinstance(value, str)}
        self.status, self.code = status, texts.get("code")
        self.message, self.consent_url = texts.get("error"), texts.get("consent_url")
        self.is_retryable = self.is_outage = status in (408, 425, 429, 500, 502, 503, 504)
        self.request_id = headers.get("x-request-id")
        if self.is_retryable:
            reset = headers.get("x-ratelimit-reset") if status == 429 else None
            self.retry_after = wait_asked_for(headers.get("retry-after"), reset, headers.get("date"))
        field = re.sub(r"\[\d+\]$", "", (self.message or "").partition(":")[0])
        self.field = field if field in REQUEST_FIELDS and status in (400, 413, 415) else None
        super().__init__(self._text())

    def _text(self) -> str:
        text = f"the service answered {self.status}"
        # Anything else than a code might quote the request.
        if self.code and re.fullmatch(r"[A-Z_]{1,40}", self.code):
            text += f" {self.code}"
        elif self.status and 300 <= self.status < 400:
            text += " (redirects are not followed: check the base URL)"
        else:
            text += " without an error code, so it may come from a proxy"
        text += f", about {self.field}" if self.field else ""
        text += f"; try again in {math.ceil(self.retry_after)} s" if self.retry_after is not None else ""
        return text + _logged_as(self.request_id)


def _logged_as(request_id: str | None) -> str:
    # Any other text might be somebody's.
    return f" (request {request_id})" if re.fullmatch(r"[\w.:-]{1,100}", request_id or "", re.ASCII) else ""


# The longest wait that the client accepts, in seconds.
MAX_WAIT = 300.0
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def wait_asked_for(retry_after: str | None, reset: str | None, date: str | None) -> float | None:
    """The seconds that `Retry-After` asks for, otherwise those until `X-RateLimit-Reset`.

    Both are read in every form in use. Instants are compared with the answer's own `Date`, so a wrong local
    clock does no harm. What can't be read counts as absent.
    """
    instant = _instant(date)
    now = time.time() if instant is None else instant
    for text in (retry_after, reset):
        wait = None if text is None else _seconds(text.strip(), now)
        if wait is not None:
            return min(max(wait, 0.0), MAX_WAIT)
    return None


def _seconds(text: str, now: float) -> float | None:
    if re.fullmatch(r"-?[0-9]+(\.[0-9]*)?", text):
        number = float(text)
        if number < 1e9:
            return number
        return (number / 1000 if number >= 1e11 else number) - now
    if re.fullmatch(r"([0-9]+(\.[0-9]*)?(ms|[smhd]))+", text):
        parts = re.findall(r"([0-9.]+)(ms|[smhd])", text)
        return sum(float(amount) * _UNITS[unit] for amount, unit in parts)
    instant = _instant(text)
    return None if instant is None else instant - now


def _instant(text: str | None) -> float | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            at = read((text or "").replace("Z", "+00:00"))
        except (TypeError, ValueError, IndexError, OverflowError):
            continue
        return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return None


def backoff(attempts: int, initial: float, longest: float) -> float:
    """A random part of a wait that doubles with each attempt ("full jitter")."""
    return random.random() * min(longest, initial * 2.0 ** min(attempts - 1, 30))


class Breaker:
    """Sends nothing for five seconds after five outages in a row, or for as long as the service asks."""

    FAILURES, SECONDS = 5, 5.0
    _failures, _open_until = 0, 0.0
    _cause: Error | None = None

    def is_open(self) -> CircuitOpen | None:
        """Why and for how long nothing is sent. When the time is up, one call gets through at first."""
        left = self._open_until - time.monotonic()
        if self._cause and left > 0:
            return CircuitOpen(self._cause, left)
        if self._open_until:
            self._open_until = time.monotonic() + self.SECONDS
        return None

    def record(self, failure: Error | None) -> None:
        """Records the result of a call that got through."""
        if failure is None or not failure.is_outage:
            self._failures, self._open_until, self._cause = 0, 0.0, None
            return
        self._failures, self._cause = self._failures + 1, failure
        if failure.retry_after is not None or self._failures >= self.FAILURES:
            pause = self.SECONDS if failure.retry_after is None else failure.retry_after
            self._open_until = time.monotonic() + pause
