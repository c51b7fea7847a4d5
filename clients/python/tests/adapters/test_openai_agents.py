"""The adapter for the OpenAI Agents SDK, with a model that answers by itself."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fake import BASE, ENRICHED, KNOWN, LEARNED, Answer, Fake, client, failure

pytest.importorskip("agents")

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from ctxmem.adapters.openai_agents import RunMemory

set_tracing_disabled(True)


class Echo(Model):
    """Calls the tool first, if there is one, and then answers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str | None, Any]] = []

    async def get_response(self, system_instructions: Any, input: Any, *arguments: Any, **more: Any) -> ModelResponse:  # noqa: A002
        self.calls.append((system_instructions, input))
        tools = arguments[1] if len(arguments) > 1 else more["tools"]
        if tools and len(self.calls) == 1:
            output: Any = ResponseFunctionToolCall(call_id="1", name=tools[0].name, arguments="{}", type="function_call")
        else:
            words = ResponseOutputText(text="Hello", type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id="m", content=[words], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **more: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def run(fake: Fake, **agent: Any) -> tuple[Echo, Any, RunMemory]:
    model = Echo()

    async def main() -> Any:
        memory = client(fake)
        of_run = RunMemory(memory, "ada", "And my bees?")
        config = RunConfig(call_model_input_filter=of_run.filter)
        talker = Agent(name="Talker", instructions=BASE, model=model, **agent)
        result = await Runner.run(talker, "And my bees?", hooks=of_run, run_config=config)
        await memory.close()
        return result, of_run

    result, of_run = asyncio.run(main())
    return model, result, of_run


def test_the_model_is_told_and_the_run_is_learned_from() -> None:
    fake = Fake(Answer(ENRICHED | {"relevant": "Notes:\n- bees"}), Answer(LEARNED))
    model, result, _ = run(fake)
    instructions, given = model.calls[0]
    assert instructions == f"{BASE}\n\n{KNOWN}"
    assert given[-1]["content"] == "Notes:\n- bees\n\nAnd my bees?"
    assert fake.bodies[0] == {"userId": "ada", "basePrompt": BASE, "message": "And my bees?"}
    assert fake.bodies[1] == {"userId": "ada", "userMessage": "And my bees?", "agentResponse": "Hello"}
    assert "Notes" not in str(result.to_input_list()), "the history stays as it was said"


def test_calls_of_one_run_are_alike() -> None:
    @function_tool
    def look_up() -> str:
        """Looks something up."""
        return "sunny"

    fake = Fake(Answer(ENRICHED), Answer(LEARNED))
    model, _, _ = run(fake, tools=[look_up])
    assert [call[0] for call in model.calls] == [f"{BASE}\n\n{KNOWN}"] * 2
    assert len(fake.requests) == 2, "one inject and one update"


def test_without_memory_the_run_goes_on() -> None:
    model, result, of_run = run(Fake(failure(401, "UNAUTHORIZED")))
    assert model.calls[0][0] == BASE
    assert result.final_output == "Hello"
    assert of_run.system
    assert of_run.system.fallback


def test_without_access_nothing_is_sent_to_be_learned_from() -> None:
    fake = Fake(Answer({"injectedPrompt": BASE, "reason": "no_grant"}))
    run(fake)
    assert len(fake.requests) == 1
