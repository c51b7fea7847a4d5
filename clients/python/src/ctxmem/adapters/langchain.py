"""Memory for agents of LangChain, which are graphs of LangGraph.

    agent = create_agent(model, middleware=[MemoryMiddleware(memory, lambda runtime: runtime.context["user"])])
    agent.invoke({"messages": [{"role": "user", "content": said}]}, context={"user": "ada"})
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from ctxmem import AsyncClient, Client, System

Request: TypeAlias = ModelRequest[Any]
Response: TypeAlias = ModelResponse[Any]


class MemoryMiddleware(AgentMiddleware[Any, Any, Any]):
    """Puts in what is known about the user, and learns from answers. The messages of the state stay as they are.

    Give it a `Client` for `invoke` and `stream`, or an `AsyncClient` for `ainvoke` and `astream`.
    """

    def __init__(self, memory: Client | AsyncClient, user_id: Callable[[Any], str]) -> None:
        super().__init__()
        self._memory: Any = memory
        self._user_id = user_id

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Response]) -> Response:
        user_id, base, message = self._turn(request)
        system = self._memory.inject_or_base(user_id, base, message)
        return self._learned(system, user_id, message, handler(_told(system, request)))

    async def awrap_model_call(self, request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
        user_id, base, message = self._turn(request)
        system = await self._memory.inject_or_base(user_id, base, message)
        return self._learned(system, user_id, message, await handler(_told(system, request)))

    def _turn(self, request: Request) -> tuple[str, str, str]:
        said = [message for message in request.messages if isinstance(message, HumanMessage)]
        base = request.system_message.text if request.system_message else ""
        return self._user_id(request.runtime), str(base), str(said[-1].text) if said else ""

    def _learned(self, system: System, user_id: str, message: str, response: Response) -> Response:
        answer = response.result[-1]
        if isinstance(answer, AIMessage) and not answer.tool_calls and system.may_learn:
            self._memory.update_later(user_id, message, str(answer.text))
        return response


def _told(system: System, request: Request) -> Request:
    messages = list(request.messages)
    at = max((n for n, message in enumerate(messages) if isinstance(message, HumanMessage)), default=None)
    said = [] if at is None else [{"role": "user", "content": messages[at].content}]
    placed = system.place_in({"messages": said}, "other-chat")["messages"]
    if at is not None:
        messages[at] = messages[at].model_copy(update={"content": placed.pop()["content"]})
    return request.override(system_message=SystemMessage(placed[0]["content"]) if placed else None, messages=messages)
