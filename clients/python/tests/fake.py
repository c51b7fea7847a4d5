"""A scripted service, in place of the network."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx

from ctxmem import AsyncClient

KEY = "ctxm_canary_key"
BASE = "You are helpful."
KNOWN = "System:\nThe user edits with Helix."
HINT = {"recommended": True, "retention": "24h", "reason": "", "providerParam": {"prompt_cache_retention": "24h"}}
ENRICHED = {"injectedPrompt": f"{KNOWN}\n\n{BASE}", "cacheHint": HINT}
LEARNED = {"updated": True, "delta": {"general": {"location": {"value": "Lisbon", "source_type": "observed"}}}}


class Answer:
    """An answer: its body, status and headers, and after how many seconds it comes."""

    def __init__(self, body: Any = None, status: int = 200, after: float = 0.0, **headers: str) -> None:
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.after = status, after
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def failure(status: int, code: str | None = None, **headers: str) -> Answer:
    return Answer({"error": "canary message", "code": code} if code else b"<html>canary</html>", status, **headers)


class Fake(httpx.AsyncBaseTransport):
    """Gives these answers one after the other, and the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.at_once = self.most_at_once = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(answer.after)
        finally:
            self.at_once -= 1
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests if request.content]

    def header(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.requests]


def client(*answers: Any, **settings: Any) -> AsyncClient:
    fake = answers[0] if isinstance(answers[0], Fake) else Fake(*answers)
    return AsyncClient("http://memory.test", KEY, transport=fake, **settings)
