"""The types read every form of the interface, and come from its document."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ctxmem import ApiError, Error, types
from ctxmem._records import Mismatch, Record, parse

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "ctxmem-types" / "tests" / "golden"
FORMS: dict[str, type[Record]] = {
    "inject": types.InjectResponse,
    "update": types.UpdateResponse,
    "facts": types.FactsResponse,
    "context": types.Context,
    "health": types.Health,
    "grants": types.GrantResponse,
}
# Files that are not the answer that their folder is named after.
OTHERS = {
    "context/deleted.json": types.DeleteResponse,
    "context/deleted_with_unknown_fields.json": types.DeleteResponse,
    "health/only_ok.json": None,  # read in test_client.py, by the call
    "health/only_not_ok.json": None,
}


def answers() -> list[tuple[str, type[Record]]]:
    found = []
    for folder, form in FORMS.items():
        for file in sorted((GOLDEN / folder).glob("*.json")):
            name = f"{folder}/{file.name}"
            # What clients send, what is written back, and answers to calls that an agent can't make.
            if "request" in file.name or file.name.endswith(".out.json") or file.name.startswith("revoked"):
                continue
            if kind := OTHERS.get(name, form):
                found.append((name, kind))
    return found


@pytest.mark.parametrize(("name", "form"), answers())
def test_every_golden_answer_is_read(name: str, form: type[Record]) -> None:
    answer = json.loads((GOLDEN / name).read_text("utf-8"))
    read = parse(form, answer)
    assert read.raw == answer
    assert_holds(read, answer)


def assert_holds(record: Record, answer: dict) -> None:
    """Each text and list of the answer that has a place in the type is in it."""
    names = {name: name for name in vars(record)} | {camel(name): name for name in vars(record)}
    for key, value in answer.items():
        mine = getattr(record, names.get(key, "raw"))
        if key not in names or value is None:
            continue
        if isinstance(value, str | bool):
            assert mine == value, key
        elif isinstance(value, dict) and isinstance(mine, Record):
            assert_holds(mine, value)
        elif isinstance(value, list) and isinstance(mine, list):
            readable = [item for item in value if is_fact(item) or isinstance(item, str)]
            if "history" not in key or readable == value:
                assert len(mine) == len(readable), key
            for one, item in zip(mine, readable, strict=False):
                text = item["value"] if isinstance(item, dict) else item
                assert getattr(one, "value", one) == text, key
        elif isinstance(value, dict) and isinstance(mine, dict) and key != "providerParam":
            for name, fact in value.items():
                if is_fact(fact) or isinstance(fact, str):
                    text = fact["value"] if isinstance(fact, dict) else fact
                    assert getattr(mine[name], "value", mine[name]) == text, key


def is_fact(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("value"), str)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def test_there_are_golden_answers() -> None:
    # So that a move of the files does not leave the test above without any.
    read = {name.split("/")[0] for name, _ in answers()}
    assert read == set(FORMS)
    assert len(answers()) > 50


@pytest.mark.parametrize("file", sorted((GOLDEN / "error").glob("*.json")), ids=lambda file: file.name)
def test_every_golden_error_is_read(file: Path) -> None:
    body = json.loads(file.read_text("utf-8"))
    error = ApiError(400, {}, file.read_bytes())
    assert (error.code, error.message, error.consent_url) == (body["code"], body["error"], body.get("consent_url"))


def test_older_names_are_read() -> None:
    hint = parse(types.CacheHint, {"recommended": True, "openaiParam": {"prompt_cache_retention": "24h"}})
    assert hint.provider_param == {"prompt_cache_retention": "24h"}


def test_what_is_not_needed_may_be_odd() -> None:
    answer = {"injectedPrompt": "p", "reason": 7, "cacheHint": "soon", "seeded": "yes", "relevant": ["a"]}
    read = parse(types.InjectResponse, answer)
    assert (read.reason, read.cache_hint, read.seeded, read.relevant) == (None, None, False, None)
    assert read.raw == answer


@pytest.mark.parametrize("answer", [None, [], "text", {}, {"injectedPrompt": None}, {"injectedPrompt": 7}])
def test_without_a_prompt_an_answer_is_refused(answer: object) -> None:
    with pytest.raises(Mismatch):
        parse(types.InjectResponse, answer)


def test_facts_are_listed_with_name_and_value() -> None:
    delta = parse(types.Delta, {
        "communication_style": "Terse",
        "preferences": {"editor": {"value": "Helix", "source_type": "observed"}},
        "ongoing_tasks": ["Ship it"],
    })  # fmt: skip
    assert sorted(delta.facts(), key=str) == [
        ("communication_style", None, "Terse"),
        ("ongoing_tasks", None, "Ship it"),
        ("preferences", "editor", "Helix"),
    ]


def test_a_repr_shows_no_value() -> None:
    read = parse(types.Context, {"userId": "canary", "communication_style": "canary", "ongoing_tasks": ["canary"]})
    assert "canary" not in repr(read)
    assert "ongoing_tasks" in repr(read)
    assert "canary" not in repr(read.ongoing_tasks)


def test_the_types_are_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "clients" / "python" / "generate_types.py", "--check"], capture_output=True, text=True
    )
    assert check.returncode == 0, check.stderr


def test_errors_are_exceptions_of_one_kind() -> None:
    assert issubclass(ApiError, Error)
