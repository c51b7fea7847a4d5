"""A turn, by the client that openapi-python-client generates: its types and its calls."""

import os

from ctxmem_client import AuthenticatedClient
from ctxmem_client.api.context import inject, read_context, update
from ctxmem_client.models import InjectRequest, UpdateRequest

client = AuthenticatedClient(
    base_url=os.environ["CTXMEM_BASE_URL"],
    token=os.environ["CTXMEM_API_KEY"],
    raise_on_unexpected_status=True,
)

learned = update.sync(
    client=client,
    body=UpdateRequest(
        user_id="ada",
        user_message="My name is Ada and I live in Lisbon.",
        agent_response="Nice to meet you, Ada.",
    ),
)
assert learned.updated
system = inject.sync(
    client=client, body=InjectRequest(user_id="ada", base_prompt="You are a helpful assistant.")
)
assert "Lisbon" in system.injected_prompt, system
known = read_context.sync("ada", client=client)
assert known.general["location"].value == "Lisbon", known
print("Python: learned, injected and read")
