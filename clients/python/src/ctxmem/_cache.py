"""Places a prompt in the body of a model call, with what makes the provider cache it.

Sources, as of October 2026:
https://developers.openai.com/api/docs/guides/prompt-caching
https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""

from __future__ import annotations

import re
from typing import Any, Literal

from .types import CacheHint

#: The endpoint that a body is for: `other-chat` takes messages as OpenAI's does, and nothing else is known of it.
Target = Literal["openai-chat", "openai-responses", "anthropic", "anthropic-1h", "other-chat"]
Json = dict[str, Any]

# OpenAI's "Models that support extended retention"; the smaller ones beside them reject the field.
_KEEPS_A_DAY = re.compile(
    r"gpt-(4\.1|5|5\.1|5\.2|5\.4|5\.5(-pro)?|5-codex|5\.1-(codex(-max|-mini)?|chat-latest))(-\d{4}-\d\d-\d\d)?"
)
# "GPT-5.6 and later model families", which take breakpoints.
_OTHER_KINDS = "audio|embedding|image|oss|realtime|search|transcribe|tts"
_FAMILY = re.compile(rf"gpt-([1-9])(?:\.([1-9]\d?))?(?:-(?!(?:{_OTHER_KINDS})\b)[a-z]+)*(-\d{{4}}-\d\d-\d\d)?")
_MARKS = ("cache_control", "prompt_cache_breakpoint")


def place(body: Json, target: Target, base: str, context: str | None, near: str | None, hint: CacheHint | None) -> Json:
    """A copy of the body with the base prompt, what is known of the user, and what bears on the last message."""
    body = dict(body)
    # With whether it is worth a breakpoint: the base prompt is in any case, because it is the same for all users.
    texts = {text: text == base or hint is not None for text in (base, context) if text and text.strip()}
    api = "input" if target == "openai-responses" else "messages"
    text_type = "input_text" if target == "openai-responses" else "text"
    if near:
        _put_beside(body, api, text_type, near)
    if target in ("anthropic", "anthropic-1h"):
        _place_in_system(body, texts, target == "anthropic-1h")
    elif target == "other-chat":
        # Servers of open models often take only one message of the developer's.
        _put_first(body, api, [{"role": "system", "content": "\n\n".join(texts)}] if texts else [])
    else:
        _place_in_openai(body, api, text_type, texts, hint)
    return body


def _place_in_openai(body: Json, api: str, text_type: str, texts: dict[str, bool], hint: CacheHint | None) -> None:
    model = str(body.get("model") or "")
    takes_breakpoints = _takes_breakpoints(model)
    in_instructions = api == "input" and not body.get("instructions")
    # Messages would be in a conversation that the provider keeps again for each turn.
    continues = body.get("previous_response_id") or body.get("conversation")
    mode = (body.get("prompt_cache_options") or {}).get("mode")
    may_mark = takes_breakpoints and mode != "explicit" and "prompt_cache_retention" not in body
    if texts and in_instructions and (continues or not takes_breakpoints):
        body["instructions"] = "\n\n".join(texts)
    else:
        mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
        role = "developer" if api == "input" else "system"
        contents: list[Any] = [
            [{"type": text_type, "text": text, **mark}] if may_mark and cached else text
            for text, cached in texts.items()
        ]
        _put_first(body, api, [{"role": role, "content": content} for content in contents])
    if hint and not {"prompt_cache_retention", "prompt_cache_options"} & body.keys():
        wanted = hint.provider_param.get("prompt_cache_retention", hint.retention) or ""
        if takes_breakpoints:
            body["prompt_cache_options"] = {"ttl": "30m"}
        elif _KEEPS_A_DAY.fullmatch(model) and wanted in ("24h", None if "5.5" in model else "in_memory"):
            body["prompt_cache_retention"] = wanted


def _takes_breakpoints(model: str) -> bool:
    found = _FAMILY.fullmatch(model)
    return found is not None and (int(found[1]), int(found[2] or 0)) >= (5, 6)


def _place_in_system(body: Json, texts: dict[str, bool], wants_hour: bool) -> None:
    """Anthropic takes four breakpoints, in the order tools, system, messages, and those of an hour first."""
    before = _lifetimes(body.get("tools"))
    automatic = [body["cache_control"]] if body.get("cache_control") else []
    after = [*_lifetimes(body.get("system")), *_lifetimes(body.get("messages")), *_hours(automatic)]
    can_be_hour, must_be_hour = False not in before, True in after
    free = max(0, 4 - len(before) - len(after))
    # Without messages, the automatic breakpoint would be on the system part itself.
    if (must_be_hour and not can_be_hour) or (automatic and not body.get("messages")):
        free = 0
    control = {"type": "ephemeral"} | ({"ttl": "1h"} if can_be_hour and (must_be_hour or wants_hour) else {})
    blocks: list[Json] = [{"type": "text", "text": text} for text in texts]
    own = body.get("system")
    if isinstance(own, str):
        body["system"] = [{"type": "text", "text": own}] if own else []
    to_mark = [block for block in blocks if texts[block["text"]]]
    for block in to_mark[max(0, len(to_mark) - free) :]:
        block["cache_control"] = control
    _put_first(body, "system", blocks)


def _lifetimes(value: Any) -> list[bool]:
    """For each breakpoint in the value, whether it lasts an hour."""
    if isinstance(value, list):
        return [found for item in value for found in _lifetimes(item)]
    if not isinstance(value, dict):
        return []
    controls = _hours([value["cache_control"]]) if value.get("cache_control") else []
    return controls + [found for key, item in value.items() if key != "cache_control" for found in _lifetimes(item)]


def _hours(controls: list[Any]) -> list[bool]:
    return [isinstance(control, dict) and control.get("ttl") == "1h" for control in controls]


def _put_first(body: Json, field: str, items: list[Any]) -> None:
    own = body.get(field) or []
    own = [{"role": "user", "content": own}] if isinstance(own, str) else own
    if items and isinstance(own, (list, tuple)):
        body[field] = [*items, *own]


def _put_beside(body: Json, api: str, text_type: str, relevant: str) -> None:
    """Puts the text before the last words of the user, after what is cached and what tools answered."""
    messages = body.get(api)
    if isinstance(messages, str) and messages.strip():
        body[api] = f"{relevant}\n\n{messages}"
    if not isinstance(messages, (list, tuple)):
        return

    def is_words(content: Any) -> bool:
        is_block = isinstance(content, dict) and content.get("type") == text_type
        return bool(str((content.get("text") if is_block else "") or "").strip())

    def is_fixed(block: Any) -> bool:
        return isinstance(block, dict) and (block.get("type") == "tool_result" or any(map(block.get, _MARKS)))

    for index, message in reversed(list(enumerate(messages))):
        content = message.get("content") if isinstance(message, dict) and message.get("role") == "user" else None
        if isinstance(content, str) and content.strip():
            changed: Any = f"{relevant}\n\n{content}"
        elif isinstance(content, list) and any(map(is_words, content)):
            start = max((n + 1 for n, block in enumerate(content) if is_fixed(block)), default=0)
            at = next((n for n in range(start, len(content)) if is_words(content[n])), len(content))
            changed = [*content[:at], {"type": text_type, "text": relevant}, *content[at:]]
        else:
            continue
        body[api] = [*messages[:index], {**message, "content": changed}, *messages[index + 1 :]]
        return
