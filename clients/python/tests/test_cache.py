"""Bodies of model calls: what each provider's endpoint receives."""

import copy
import json
import random
from typing import Any

import pytest
from fake import BASE, ENRICHED, KNOWN

from ctxmem import System, TransportError
from ctxmem._cache import _lifetimes
from ctxmem._records import parse
from ctxmem.types import InjectResponse

NOTES = "Notes:\n- Keeps bees"
MARK = {"prompt_cache_breakpoint": {"mode": "explicit"}}
MINUTES, HOUR = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
TARGETS = ["openai-chat", "openai-responses", "anthropic", "anthropic-1h", "other-chat"]


def system(**answer: Any) -> System:
    return System(BASE, parse(InjectResponse, ENRICHED | answer))


WITHOUT = System(BASE, InjectResponse(injected_prompt=BASE, reason="empty"))
OUTAGE = System(BASE, InjectResponse(injected_prompt=BASE), TransportError("down"))
KNOWING = system()


def text(value: str, kind: str = "text", **mark: Any) -> dict[str, Any]:
    return {"type": kind, "text": value, **mark}


def test_anthropic_gets_two_blocks_with_a_breakpoint_each() -> None:
    body = {"model": "claude-opus-5", "messages": [{"role": "user", "content": "Hi"}]}
    assert KNOWING.place_in(body, "anthropic") == {
        **body, "system": [text(BASE, cache_control=MINUTES), text(KNOWN, cache_control=MINUTES)]
    }  # fmt: skip
    assert KNOWING.place_in(body, "anthropic-1h")["system"][0]["cache_control"] == HOUR


@pytest.mark.parametrize("answered", [WITHOUT, OUTAGE])
def test_the_base_prompt_always_gets_its_breakpoint(answered: System) -> None:
    assert answered.place_in({}, "anthropic")["system"] == [text(BASE, cache_control=MINUTES)]
    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]}
    assert answered.place_in(body, "openai-chat") == {
        "model": "gpt-5.6",
        "messages": [{"role": "system", "content": [text(BASE, **MARK)]}, {"role": "user", "content": "Hi"}],
    }
    placed = answered.place_in({"model": "gpt-5.6", "input": "Hi"}, "openai-responses")
    assert placed["input"][0] == {"role": "developer", "content": [text(BASE, "input_text", **MARK)]}


def test_without_a_recommendation_the_notes_get_none() -> None:
    silent = system(cacheHint=None)
    assert silent.place_in({}, "anthropic")["system"] == [text(BASE, cache_control=MINUTES), text(KNOWN)]
    messages = silent.place_in({"model": "gpt-5.6"}, "openai-chat")["messages"]
    assert [message["content"] for message in messages] == [[text(BASE, **MARK)], KNOWN]
    assert "prompt_cache_retention" not in silent.place_in({"model": "gpt-5.4"}, "openai-chat")


def test_openai_gets_messages_with_breakpoints_from_5_6_on() -> None:
    placed = KNOWING.place_in({"model": "gpt-5.6-sol", "messages": [{"role": "user", "content": "Hi"}]}, "openai-chat")
    assert [message["content"] for message in placed["messages"]] == [[text(BASE, **MARK)], [text(KNOWN, **MARK)], "Hi"]
    assert placed["prompt_cache_options"] == {"ttl": "30m"}
    assert "prompt_cache_key" not in placed


def test_earlier_models_get_texts_and_a_retention() -> None:
    placed = KNOWING.place_in({"model": "gpt-5.4-2026-03-05", "messages": []}, "openai-chat")
    assert [message["content"] for message in placed["messages"]] == [BASE, KNOWN]
    assert placed["prompt_cache_retention"] == "24h"


def test_responses_get_instructions_unless_breakpoints_are_wanted() -> None:
    placed = KNOWING.place_in({"model": "gpt-5.4", "input": "Hi"}, "openai-responses")
    assert (placed["instructions"], placed["input"]) == (f"{BASE}\n\n{KNOWN}", "Hi")
    placed = KNOWING.place_in({"model": "gpt-5.6", "input": "Hi"}, "openai-responses")
    assert placed["input"] == [
        {"role": "developer", "content": [text(BASE, "input_text", **MARK)]},
        {"role": "developer", "content": [text(KNOWN, "input_text", **MARK)]},
        {"role": "user", "content": "Hi"},
    ]
    # Messages would be in the conversation again for each turn.
    for goes_on in ({"previous_response_id": "r"}, {"conversation": "c"}):
        placed = KNOWING.place_in({"model": "gpt-5.6", "input": "Hi", **goes_on}, "openai-responses")
        assert placed["instructions"] == f"{BASE}\n\n{KNOWN}"
    placed = KNOWING.place_in({"model": "gpt-5.4", "input": "Hi", "instructions": "Mine"}, "openai-responses")
    assert placed["instructions"] == "Mine"
    assert placed["input"][0] == {"role": "developer", "content": BASE}


DAY, OPTIONS, NOTHING = {"prompt_cache_retention": "24h"}, {"prompt_cache_options": {"ttl": "30m"}}, {}


@pytest.mark.parametrize(
    ("models", "fields"),
    [
        (["gpt-5.5", "gpt-5.5-pro", "gpt-5.4", "gpt-5.2", "gpt-5.1", "gpt-5", "gpt-4.1", "gpt-5-codex"], DAY),
        (["gpt-5.1-codex-max", "gpt-5.1-codex", "gpt-5.1-codex-mini", "gpt-5.1-chat-latest"], DAY),
        (["gpt-4.1-2025-04-14", "gpt-5.5-pro-2026-04-23"], DAY),
        (["gpt-5.6", "gpt-5.6-sol", "gpt-5.6-sol-2026-07-09", "gpt-5.10-mini", "gpt-6", "gpt-9.99"], OPTIONS),
        (["gpt-4.1-mini", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "gpt-5.4-mini", "gpt-4o", "o3-mini"], NOTHING),
        (["ft:gpt-5.6:org::id", "openai/gpt-5.4", "gpt-oss-20b", "gpt-6-20b", "gpt-6-oss", "gpt-6-realtime"], NOTHING),
        (["gpt-50", "gpt-10", "gpt-5.", "gpt-5.06", "gpt-5.600", "gpt-6.0", "gpt-6-", "gpt-6--mini", "GPT-6"], NOTHING),
        (["gpt-5.4 ", "gpt-5.4-2026", "gpt-", "", "claude-opus-5", None], NOTHING),
    ],
)
def test_models_get_what_they_take(models: list[str], fields: dict[str, Any]) -> None:
    for model in models:
        placed = KNOWING.place_in({"model": model}, "openai-chat")
        assert {key: value for key, value in placed.items() if "cache" in key} == fields, model
        assert ("prompt_cache_breakpoint" in json.dumps(placed)) is (fields == OPTIONS), model


@pytest.mark.parametrize(
    ("parameter", "older", "only_day"),
    [("24h", "24h", "24h"), ("in_memory", "in_memory", None), ("48h", None, None), (24, None, None), (None, None, None)],
)
def test_the_hint_is_followed_where_it_can_be(parameter: Any, older: str | None, only_day: str | None) -> None:
    hint = {"recommended": True, "retention": "24h", "providerParam": {"prompt_cache_retention": parameter}}
    answered = system(cacheHint=hint)
    for model, wanted in (("gpt-5.4", older), ("gpt-5.5", only_day)):
        assert answered.place_in({"model": model}, "openai-chat").get("prompt_cache_retention") == wanted


def test_what_the_caller_decided_is_kept() -> None:
    own = {"model": "gpt-5.6", "prompt_cache_options": {"mode": "explicit"}}
    placed = KNOWING.place_in(own, "openai-chat")
    assert placed["prompt_cache_options"] == {"mode": "explicit"}
    assert "breakpoint" not in json.dumps(placed)
    placed = KNOWING.place_in({"model": "gpt-5.4", "prompt_cache_retention": "in_memory"}, "openai-chat")
    assert placed["prompt_cache_retention"] == "in_memory"
    placed = KNOWING.place_in({"system": "Mine"}, "anthropic")
    assert placed["system"][2] == text("Mine")


def control(*lifetimes: bool) -> list[dict[str, Any]]:
    return [text("x", cache_control=HOUR if hour else MINUTES) for hour in lifetimes]


def test_anthropic_gets_no_more_than_four_breakpoints() -> None:
    def marks(count: int) -> list[bool]:
        body = {"messages": [{"role": "user", "content": control(*[False] * count)}]}
        return ["cache_control" in block for block in KNOWING.place_in(body, "anthropic")["system"]]

    assert [marks(count) for count in (2, 3, 4, 5)] == [[True, True], [False, True], [False, False], [False, False]]


def test_breakpoints_of_an_hour_come_first() -> None:
    later = {"messages": [{"role": "user", "content": control(True)}]}
    assert KNOWING.place_in(later, "anthropic")["system"][0]["cache_control"] == HOUR
    before = {"tools": [{"name": "t", "cache_control": MINUTES}]}
    assert KNOWING.place_in(before, "anthropic-1h")["system"][0]["cache_control"] == MINUTES
    both = KNOWING.place_in({**later, **before}, "anthropic")
    assert "cache_control" not in both["system"][0]
    automatic = {"cache_control": MINUTES}
    assert "cache_control" not in KNOWING.place_in(automatic, "anthropic")["system"][0]
    automatic["messages"] = [{"role": "user", "content": "Hi"}]  # type: ignore[assignment]
    assert KNOWING.place_in(automatic, "anthropic")["system"][0]["cache_control"] == MINUTES


def test_no_body_gets_breakpoints_that_anthropic_rejects() -> None:
    random.seed(3)
    for _ in range(2000):
        chosen = [random.random() < 0.5 for _ in range(random.randrange(4))]
        chosen.sort(reverse=True)
        at = sorted(random.randrange(len(chosen) + 1) for _ in range(2))
        body = {
            "tools": control(*chosen[: at[0]]),
            "system": control(*chosen[at[0] : at[1]]),
            "messages": [{"role": "user", "content": control(*chosen[at[1] :])}],
        }
        for target in ("anthropic", "anthropic-1h"):
            placed = KNOWING.place_in(body, target)  # type: ignore[arg-type]
            found = [hour for part in ("tools", "system", "messages") for hour in _lifetimes(placed[part])]
            assert len(found) <= 4
            assert found == sorted(found, reverse=True), (body, placed)


def test_servers_of_open_models_get_one_message() -> None:
    placed = KNOWING.place_in({"model": "llama3", "messages": [{"role": "user", "content": "Hi"}]}, "other-chat")
    assert placed["messages"][0] == {"role": "system", "content": f"{BASE}\n\n{KNOWN}"}
    assert "cache" not in json.dumps(placed)


def beside(target: str, body: dict[str, Any]) -> Any:
    placed = System("", InjectResponse(injected_prompt="", relevant=NOTES)).place_in(body, target)  # type: ignore[arg-type]
    return placed.get("input" if target == "openai-responses" else "messages")


def said(content: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content}]}


def test_relevant_facts_stand_before_the_last_words_of_the_user() -> None:
    told = f"{NOTES}\n\nAnd my bees?"
    assert beside("openai-chat", said("And my bees?")) == said(told)["messages"]
    assert beside("openai-responses", {"input": "And my bees?"}) == told
    asked = {"role": "user", "content": [text("And my bees?", "input_text")]}
    blocks = [text(NOTES, "input_text"), text("And my bees?", "input_text")]
    assert beside("openai-responses", {"input": [asked]}) == [{"role": "user", "content": blocks}]
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    assert beside("anthropic", {"messages": talk + said("Bees?")["messages"]})[:2] == talk


def test_relevant_facts_come_after_what_is_cached_and_what_tools_say() -> None:
    document, question = text("A document.", cache_control=MINUTES), text("And my bees?")
    assert beside("anthropic", said([document, question]))[0]["content"] == [document, text(NOTES), question]
    result = {"type": "tool_result", "tool_use_id": "t", "content": "sunny"}
    assert beside("anthropic", said([result, question]))[0]["content"] == [result, text(NOTES), question]
    asked, answered = said([question])["messages"][0], said([result])["messages"][0]
    assert beside("anthropic", {"messages": [asked, answered]}) == [
        {"role": "user", "content": [text(NOTES), question]}, answered
    ]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "messages",
    [
        [], [{"role": "system", "content": "Be brief."}], [{"role": "assistant", "content": "Hi"}],
        [{"role": "user"}, {"role": "user", "content": " "}, 3], said([{"type": "image"}])["messages"],
        said({"odd": True})["messages"],
    ],
)  # fmt: skip
def test_where_the_user_says_nothing_nothing_is_put(target: str, messages: list[Any]) -> None:
    name = "input" if target == "openai-responses" else "messages"
    assert beside(target, {name: messages}) == messages


@pytest.mark.parametrize("target", TARGETS)
def test_the_body_of_the_caller_is_not_changed(target: Any) -> None:
    answered = system(relevant=NOTES)
    body = {
        "model": "gpt-5.6",
        "system": [text("Mine")],
        "messages": said([text("Hi")])["messages"],
        "input": [{"role": "user", "content": [text("Hi", "input_text")]}],
    }
    before = copy.deepcopy(body)
    placed = answered.place_in(body, target)
    assert body == before
    shown = json.dumps(placed)
    assert shown.count(BASE) == 1
    assert shown.count("Helix") == 1
    assert shown.count("Keeps bees") == 1
    assert shown.index(BASE) < shown.index("Helix")
