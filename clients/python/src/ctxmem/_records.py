"""Reads answers of every deployment into the types of `types.py`.

What is not there, or has a form that nobody expected, takes the field's default, so that an agent does not
lose its prompt because a reason is a number. `raw` has the whole answer.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

R = TypeVar("R", bound="Record")

# Names of fields in older deployments.
_OLDER = {"provider_param": "openaiParam"}


class Mismatch(ValueError):
    """The answer lacks a field that nobody can do without. Its text has no value of the answer."""


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Record:
    """A part of an answer. Its `repr` names the fields that are set, and none of their values."""

    raw: dict[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        names = [field.name for field in dataclasses.fields(self) if field.name != "raw"]
        return f"{type(self).__name__}({', '.join(name for name in names if getattr(self, name))})"


class FactHolder(Record):
    """Facts by the key of their scope."""

    def facts(self) -> Iterator[tuple[str, str | None, str]]:
        """Each fact as its key (such as `preferences`), its name if facts there have names, and its value."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "communication_style" and value:
                yield field.name, None, value
            elif isinstance(value, list):
                yield from ((field.name, None, fact.value) for fact in value)
            elif isinstance(value, dict) and field.name != "raw":
                yield from ((field.name, name, fact.value) for name, fact in value.items())


def parse(cls: type[R], answer: object) -> R:
    """The answer as this type. Raises `Mismatch` if a field is missing that every deployment sends."""
    if not isinstance(answer, dict):
        raise Mismatch(f"{cls.__name__}: expected an object")
    hints, values = _hints(cls), {}
    for field in dataclasses.fields(cls):
        names = (field.name, _camel(field.name), _OLDER.get(field.name))
        name = next((name for name in names if name in answer), None)
        try:
            if field.name != "raw":
                values[field.name] = _read(hints[field.name], None if name is None else answer[name])
        except Mismatch:
            if field.default is field.default_factory:  # both are missing: it has no default
                raise Mismatch(f"{cls.__name__}: {_camel(field.name)} is missing or unreadable") from None
    return cls(raw=answer, **values)


def _read(hint: Any, value: object) -> object:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kinds = [kind for kind in arguments if typing.get_origin(kind) is not typing.Literal]
        return None if value is None and type(None) in kinds else _read(kinds[0], value)
    if origin is list and isinstance(value, list):
        return [item for _, item in _readable(arguments[0], enumerate(value))]
    if origin is dict and isinstance(value, dict):
        return dict(_readable(arguments[1], value.items()))
    if isinstance(hint, type) and issubclass(hint, Record):
        # In older deployments a fact is a text.
        return parse(hint, {"value": value} if hint.__name__ == "Fact" and isinstance(value, str) else value)
    if hint is Any or (origin is None and isinstance(value, hint)):
        return value
    raise Mismatch


def _readable(hint: Any, items: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in items:
        try:
            yield key, _read(hint, value)
        except Mismatch:
            continue


_hints: Callable[[type], dict[str, Any]] = functools.cache(typing.get_type_hints)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
