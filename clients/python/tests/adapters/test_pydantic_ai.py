"""The adapter for Pydantic AI, with a model that answers by itself."""

import asyncio
from typing import Any

import pytest
from fake import BASE, ENRICHED, KNOWN, LEARNED, Answer, Fake, client, failure

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from ctxmem.adapters.pydantic_ai import Memory


def run(fake: Fake, with_tool: bool = False) -> tuple[list[tuple[str | None, str]], Any]:
    calls: list[tuple[str | None, str]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        said = [part.content for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
        calls.append((info.instructions, str(said[-1])))
        if info.function_tools and len(calls) == 1:
            return ModelResponse(parts=[ToolCallPart("look_up", {})])
        return ModelResponse(parts=[TextPart("Hello")])

    async def main() -> Any:
        async with client(fake) as memory:
            agent = Agent(
                FunctionModel(answer), deps_type=str, instructions=BASE,
                capabilities=[Memory(memory, lambda context: context.deps)],
            )  # fmt: skip
            if with_tool:
                agent.tool_plain(look_up)
            return await agent.run("And my bees?", deps="ada")

    return calls, asyncio.run(main())


def look_up() -> str:
    """Looks something up."""
    return "sunny"


def test_the_model_is_told_and_the_run_is_learned_from() -> None:
    fake = Fake(Answer(ENRICHED | {"relevant": "Notes:\n- bees"}), Answer(LEARNED))
    calls, result = run(fake)
    assert calls == [(f"{BASE}\n\n{KNOWN}", "Notes:\n- bees\n\nAnd my bees?")]
    assert fake.bodies[0] == {"userId": "ada", "basePrompt": BASE, "message": "And my bees?"}
    assert fake.bodies[1] == {"userId": "ada", "userMessage": "And my bees?", "agentResponse": "Hello"}
    assert "Notes" not in result.all_messages_json().decode(), "the history stays as it was said"


def test_calls_of_one_run_are_alike() -> None:
    fake = Fake(Answer(ENRICHED), Answer(LEARNED))
    calls, _ = run(fake, with_tool=True)
    assert [instructions for instructions, _ in calls] == [f"{BASE}\n\n{KNOWN}"] * 2
    assert len(fake.requests) == 2, "one inject and one update"


def test_without_memory_the_run_goes_on() -> None:
    calls, result = run(Fake(failure(401, "UNAUTHORIZED")))
    assert calls == [(BASE, "And my bees?")]
    assert result.output == "Hello"


def test_without_access_nothing_is_sent_to_be_learned_from() -> None:
    fake = Fake(Answer({"injectedPrompt": BASE, "reason": "no_grant"}))
    run(fake)
    assert len(fake.requests) == 1
