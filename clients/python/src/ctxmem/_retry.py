"""When to try again: what the service asks for, backoff, and a circuit breaker."""

from __future__ import annotations

import random
import re
import time
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import Error

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

    def is_open(self) -> tuple[Error, float] | None:
        """Why and for how long nothing is sent. When the time is up, one call gets through at first."""
        left = self._open_until - time.monotonic()
        if self._cause and left > 0:
            return self._cause, left
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
