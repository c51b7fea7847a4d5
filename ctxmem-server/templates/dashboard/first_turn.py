import json
import os
import urllib.request


def call(path, body):
    request = urllib.request.Request(
        os.environ["CTXMEM_BASE_URL"] + path,
        json.dumps(body).encode(),
        {
            "Authorization": "Bearer " + os.environ["CTXMEM_API_KEY"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


# Before the model call: what is known of the user becomes part of the prompt.
system = call(
    "/api/context/inject",
    {"userId": "ada", "basePrompt": "You are a helpful assistant."},
)
print(system["injectedPrompt"])

# After it: learn from the turn.
learned = call(
    "/api/context/update",
    {
        "userId": "ada",
        "userMessage": "My name is Ada and I live in Lisbon.",
        "agentResponse": "Nice to meet you, Ada.",
    },
)
print("learned:", learned.get("delta"), learned.get("outcome", ""))
