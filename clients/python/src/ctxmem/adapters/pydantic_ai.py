"""Memory for agents of Pydantic AI.

    agent = Agent(model, deps_type=str, capabilities=[Memory(memory, lambda ctx: ctx.deps)])
    result = await agent.run(said, deps="ada")
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, WrapModelRequestHandler, WrapRunHandler
from pydantic_ai.messages import InstructionPart, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult

from ctxmem import AsyncClient, System


class Memory(AbstractCapability[Any]):
    """Puts in what is known about the user, and learns from runs. The history of messages stays as it is."""

    def __init__(self, memory: AsyncClient, user_id: Callable[[RunContext[Any]], str]) -> None:
        self._memory, self._user_id = memory, user_id
        self._system: System | None = None

    async def for_run(self, ctx: RunContext[Any]) -> "Memory":
        return copy.copy(self)

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        result = await handler()
        if self._system and self._system.may_learn:
            self._memory.update_later(self._user_id(ctx), _words(ctx.prompt), str(result.output))
        return result

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        parameters = request_context.model_request_parameters
        parts = parameters.instruction_parts or []
        base = "\n\n".join(part.content for part in parts)
        if self._system is None or self._system.base_prompt != base:
            self._system = await self._memory.inject_or_base(self._user_id(ctx), base, _words(ctx.prompt))
        if context := self._system.context:
            parts = [*parts, InstructionPart(context, dynamic=True)]
        messages = list(request_context.messages)
        for at, message in reversed(list(enumerate(messages))):
            said = [part for part in message.parts if isinstance(part, UserPromptPart)]
            said = [part for part in said if isinstance(part.content, str)]
            if isinstance(message, ModelRequest) and said:
                told = replace(said[-1], content=self._system.user_message(str(said[-1].content)))
                messages[at] = replace(message, parts=[told if part is said[-1] else part for part in message.parts])
                break
        parameters = replace(parameters, instruction_parts=parts)
        return await handler(replace(request_context, messages=messages, model_request_parameters=parameters))


def _words(prompt: Any) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(part for part in prompt or () if isinstance(part, str))
