"""Errors: why a call failed.

Their texts and `repr` hold no key, prompt, message, fact or user id, because errors end up in logs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from ._retry import wait_asked_for
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
        request_id = headers.get("x-request-id", "")
        self.request_id = request_id if re.fullmatch(r"[\w.:-]{1,100}", request_id, re.ASCII) else None
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
    return f" (request {request_id})" if request_id else ""
