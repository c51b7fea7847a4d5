"""The adapter for LangChain and LangGraph, with a model that answers by itself."""

import asyncio
from typing import Any

import pytest
from fake import BASE, ENRICHED, KEY, KNOWN, LEARNED, Answer, Fake, client, failure

from ctxmem import Client

pytest.importorskip("langchain.agents")

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from ctxmem.adapters.langchain import MemoryMiddleware

SAID = {"messages": [{"role": "user", "content": "And my bees?"}]}


class Echo(BaseChatModel):
    """Calls the tool first, if there is one, and then answers."""

    calls: list[list[BaseMessage]] = []  # noqa: RUF012
    has_tools: bool = False

    @property
    def _llm_type(self) -> str:
        return "echo"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        self.has_tools = bool(tools)
        return self

    def _generate(self, messages: list[BaseMessage], *arguments: Any, **more: Any) -> ChatResult:
        self.calls.append(messages)
        answer = AIMessage("Hello")
        if self.has_tools and messages[-1].type == "human":
            answer = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "1"}])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def look_up() -> str:
    """Looks something up."""
    return "sunny"


def agent(memory: Any, model: Echo, **more: Any) -> Any:
    middleware = MemoryMiddleware(memory, lambda runtime: runtime.context["user"])
    return create_agent(model, system_prompt=BASE, middleware=[middleware], context_schema=dict, **more)


def test_the_model_is_told_and_the_turn_is_learned_from() -> None:
    fake = Fake(Answer(ENRICHED | {"relevant": "Notes:\n- bees"}), Answer(LEARNED))
    model = Echo(calls=[])
    with Client("http://memory.test", KEY, transport=fake) as memory:
        state = agent(memory, model).invoke(SAID, context={"user": "ada"})
    system, human = model.calls[0]
    assert (system.type, system.content) == ("system", f"{BASE}\n\n{KNOWN}")
    assert human.content == "Notes:\n- bees\n\nAnd my bees?"
    assert fake.bodies[0] == {"userId": "ada", "basePrompt": BASE, "message": "And my bees?"}
    assert fake.bodies[1] == {"userId": "ada", "userMessage": "And my bees?", "agentResponse": "Hello"}
    assert [message.content for message in state["messages"]] == ["And my bees?", "Hello"], "as it was said"


def test_the_same_with_asyncio_and_tools() -> None:
    inject = Answer(ENRICHED)
    fake = Fake(inject, inject, Answer(LEARNED))
    model = Echo(calls=[])

    async def main() -> None:
        async with client(fake) as memory:
            await agent(memory, model, tools=[look_up]).ainvoke(SAID, context={"user": "ada"})

    asyncio.run(main())
    assert [call[0].content for call in model.calls] == [f"{BASE}\n\n{KNOWN}"] * 2
    assert [body.get("agentResponse") for body in fake.bodies] == [None, None, "Hello"]


def test_without_memory_the_agent_goes_on() -> None:
    model = Echo(calls=[])
    with Client("http://memory.test", KEY, transport=Fake(failure(401, "UNAUTHORIZED"))) as memory:
        state = agent(memory, model).invoke(SAID, context={"user": "ada"})
    assert model.calls[0][0].content == BASE
    assert state["messages"][-1].content == "Hello"


def test_without_access_nothing_is_sent_to_be_learned_from() -> None:
    fake = Fake(Answer({"injectedPrompt": BASE, "reason": "no_grant"}))
    with Client("http://memory.test", KEY, transport=fake) as memory:
        agent(memory, Echo(calls=[])).invoke(SAID, context={"user": "ada"})
    assert len(fake.requests) == 1
