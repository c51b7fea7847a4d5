"""Some right requests are made so that there is something to go on with, which nobody makes up: grants
for the agent whose key is used by the user who is signed in, and messages that hold a fact."""

import os

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    is_right = case.meta is not None and case.meta.generation.mode.is_positive
    if not is_right or not isinstance(case.body, dict):
        return
    if case.operation.label == "POST /api/grants":
        case.body["agentId"] = os.environ["CTXMEM_AGENT"]
        case.body["userId"] = "ada"
        case.body.pop("expiresAt", None)
    elif case.operation.label == "POST /api/context/update":
        if len(case.body.get("userMessage", "")) % 2 == 0:
            case.body["userMessage"] = "I live in Lisbon. I use Helix as my editor."
