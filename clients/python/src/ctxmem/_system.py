"""The system prompt that the service answers, and turns, which wrap a model call with it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum
from typing import Any

from . import _cache
from .errors import Error
from .types import InjectResponse


class Access(Enum):
    """What an inject says about the agent's access to a user's memory."""

    GRANTED = "granted"
    #: The user has not been asked yet: show them the page at `consent_url`.
    MUST_ASK = "must_ask"
    #: The user refused, ended or paused the access, or it has expired. Don't ask again.
    DENIED = "denied"
    #: The grant and the agent's key have no scope in common.
    NO_SCOPES = "no_scopes"
    #: The service did not say.
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class System:
    """The system prompt to use. Its `repr` shows nothing of it."""

    base_prompt: str
    #: The service's answer; without one it holds the base prompt alone.
    response: InjectResponse
    #: Why the prompt is the base prompt alone, if the service gave no answer. `is_outage` says if it passes.
    fallback: Error | None = None

    @property
    def prompt(self) -> str:
        """What the agent may know about the user, followed by the base prompt."""
        return self.response.injected_prompt

    @property
    def relevant(self) -> str | None:
        """Facts that bear on the user's message and had no room in the prompt, as a text that says it is data."""
        relevant = self.response.relevant
        return relevant if relevant and relevant.strip() else None

    def user_message(self, message: str) -> str:
        """The message for the model: after `relevant`, if there is anything. Keep the original in your history."""
        return f"{self.relevant}\n\n{message}" if self.relevant else message

    @property
    def context(self) -> str | None:
        """The part of the prompt that is about the user. None without stored facts, or if it can't be told apart."""
        before = self.prompt.removesuffix(self.base_prompt).removesuffix("\n\n")
        if self.is_seeded or not before or f"{before}\n\n{self.base_prompt}" != self.prompt:
            return None
        return before

    @property
    def is_seeded(self) -> bool:
        """Whether the prompt holds demo facts (see `demo` of the client)."""
        return self.response.seeded or self.response.reason == "seeded_demo"

    @property
    def consent_url(self) -> str | None:
        """The page where the user can allow this agent, if they have to be asked first."""
        return self.response.consent_url if self.access is Access.MUST_ASK else None

    @property
    def access(self) -> Access:
        """Whether the agent has access to this user's memory."""
        reason = self.response.reason
        if self.fallback is not None:
            return Access.UNKNOWN
        if reason == "no_grant":
            return Access.MUST_ASK if self.response.consent_url else Access.DENIED
        granted = dict.fromkeys((None, "empty", "empty_capsule", "seeded_demo"), Access.GRANTED)
        return {**granted, "no_scopes": Access.NO_SCOPES}.get(reason, Access.UNKNOWN)

    @property
    def may_learn(self) -> bool:
        """Whether the service may be sent what the user says. Without access it would refuse that."""
        return self.access in (Access.GRANTED, Access.UNKNOWN)

    def place_in(self, body: dict[str, Any], target: _cache.Target) -> dict[str, Any]:
        """A copy of the body of a model call, with the prompt in the form that its provider caches best.

        The base prompt, which all users share, comes first, and what is remembered after it, each with a
        breakpoint of its own where the provider has them. `relevant` goes before the user's last words. The
        body has no system prompt yet, or one that stays after these parts. What it has is never overwritten.
        """
        context = self.context
        # What can't be taken apart is placed whole.
        base = self.base_prompt if context or self.is_seeded else self.prompt
        hint = self.response.cache_hint
        return _cache.place(body, target, base, context, self.relevant, hint if hint and hint.recommended else None)

    def __repr__(self) -> str:
        return f"System(access={self.access.value!r}, fallback={self.fallback!r})"


class _Turn:
    """What both kinds of turns have."""

    _is_finished = False

    def __init__(self, client: Any, user_id: str, base_prompt: str, message: str) -> None:
        self._client, self._user_id, self._base_prompt, self._message = client, user_id, base_prompt, message
        self._pieces: list[str] = []

    def _begin(self, system: System) -> None:
        #: The system prompt, with all that is known about it.
        self.system = system
        #: The system prompt and the user's message for the model. Keep the original message in your history.
        self.prompt, self.user_message = system.prompt, system.user_message(self._message)
        #: Whether the agent has access to this user's memory, and the page where the user can allow it.
        self.access, self.consent_url = system.access, system.consent_url
        self.place_in = system.place_in

    def push(self, piece: str) -> None:
        """Adds a piece of a streamed answer. After the last one, call `finish()`."""
        self._pieces.append(piece)

    def finish(self, answer: str | None = None) -> bool:
        """Queues the turn, which is learned from in the background. Without an answer, the pushed pieces are it.

        Returns whether the update was queued: not if the queue is full or closed, not without access, where the
        conversation stays with the agent, and not a second time. It never waits for the service and never raises.
        """
        was_finished, self._is_finished = self._is_finished, True
        if was_finished or not self.system.may_learn:
            return False
        pieces = self._pieces if answer is None else [answer]
        return bool(self._client.update_later(self._user_id, self._message, "".join(pieces)))

    def _end(self, _kind: object, error: object, _traceback: object) -> None:
        if not self._is_finished and error is None:
            logging.getLogger("ctxmem").warning("a turn ended without finish(), so nothing is learned from it")


class Turn(_Turn):
    """A turn of a `Client`: `with memory.turn(…) as turn`. Nothing is learned from it until `finish`."""

    def __enter__(self) -> Turn:
        self._begin(self._client.inject_or_base(self._user_id, self._base_prompt, self._message))
        return self

    __exit__ = _Turn._end


class AsyncTurn(_Turn):
    """A turn of an `AsyncClient`: `async with memory.turn(…) as turn`. Nothing is learned until `finish`."""

    async def __aenter__(self) -> AsyncTurn:
        self._begin(await self._client.inject_or_base(self._user_id, self._base_prompt, self._message))
        return self

    async def __aexit__(self, *how: object) -> None:
        self._end(*how[:3])
