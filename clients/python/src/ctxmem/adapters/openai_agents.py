"""Memory for agents of the OpenAI Agents SDK.

    run = RunMemory(memory, "ada", said)
    config = RunConfig(call_model_input_filter=run.filter)
    result = await Runner.run(agent, said, hooks=run, run_config=config)
"""

from typing import Any

from agents import Agent, AgentHookContext, RunHooks
from agents.run import CallModelData, ModelInputData

from ctxmem import AsyncClient, System


class RunMemory(RunHooks[Any]):
    """The memory of one run. It changes what the model gets, and not the history that a session keeps."""

    def __init__(self, memory: AsyncClient, user_id: str, message: str) -> None:
        self._memory, self._user_id, self._message = memory, user_id, message
        self._systems: dict[str, System] = {}
        #: The last system prompt, which says for example whether the user has to be asked for consent.
        self.system: System | None = None

    async def filter(self, data: CallModelData[Any]) -> ModelInputData:
        """For `RunConfig(call_model_input_filter=…)`: puts in what is known about the user."""
        base = data.model_data.instructions or ""
        # Agents that hand over to each other differ in their instructions. Calls of one agent are alike.
        if base not in self._systems:
            self._systems[base] = await self._memory.inject_or_base(self._user_id, base, self._message)
        self.system = self._systems[base]
        body = self.system.place_in({"input": data.model_data.input}, "openai-responses")
        return ModelInputData(input=body["input"], instructions=body.get("instructions"))

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Agent[Any], output: Any) -> None:
        """Queues the run, which is learned from in the background."""
        if self.system and self.system.may_learn:
            self._memory.update_later(self._user_id, self._message, str(output))
