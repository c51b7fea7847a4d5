"""Writes src/ctxmem/types.py from the OpenAPI document.

    python generate_types.py           writes the file
    python generate_types.py --check   says whether it is up to date
"""

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "openapi.json"
TARGET = HERE / "src" / "ctxmem" / "types.py"

# The answers to the calls that the client makes. What they refer to is generated with them.
ROOTS = ["InjectResponse", "UpdateResponse", "Context", "FactsResponse", "DeleteResponse", "GrantResponse", "Health"]
# What every deployment sends. All other fields are absent in one or the other.
ALWAYS_SENT = {
    "InjectResponse": {"injectedPrompt"},
    "UpdateResponse": {"updated"},
    "Context": {"userId"},
    "Fact": {"value"},
    "FactsResponse": {"facts"},
    "FactRecord": {"id", "value"},
    "DeleteResponse": {"deleted"},
    "GrantResponse": {"grant"},
    "Grant": {"id", "scopes"},
}
# They hold facts by the key of their scope.
WITH_FACTS = {"Context", "Delta"}

WIDTH = 120

# What has all the fields of another.
EXTENDS = {"Context": "Delta", "FactRecord": "Fact"}

HEADER = '''"""The forms of requests and answers. Written by generate_types.py from docs/openapi.json: do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ._records import FactHolder, Record
'''


def name_of(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[1]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def first_clause(text: str) -> str:
    return re.split(r"[.:]\s", text.replace("`", "").replace("\n", " "), maxsplit=1)[0].removesuffix(".") + "."


def wrapped(start: str, values: list[str], end: str) -> str:
    listed = ", ".join(json.dumps(value) for value in values)
    if len(start + listed + end) <= WIDTH:
        return start + listed + end
    lines = textwrap.wrap(listed, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([start, *lines, end])


class Generator:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.schemas: dict[str, dict[str, Any]] = document["components"]["schemas"]
        self.needed: set[str] = set()

    def need(self, name: str) -> None:
        if name not in self.needed:
            self.needed.add(name)
            self.references(self.schemas[name])

    def references(self, value: Any) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                self.need(name_of(value))
            for inner in value.values():
                self.references(inner)
        elif isinstance(value, list):
            for inner in value:
                self.references(inner)

    def annotation(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            name = name_of(schema)
            target = self.schemas[name]
            if "properties" in target:
                return name
            # Later versions may have further values.
            return f"{name} | str" if "enum" in target else self.annotation(target)
        if "oneOf" in schema:
            return " | ".join("None" if one.get("type") == "null" else self.annotation(one) for one in schema["oneOf"])
        kind = schema["type"]
        if kind == "array":
            return f"list[{self.annotation(schema['items'])}]"
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self.annotation(values) if values else 'Any'}]"
        return {"string": "str", "boolean": "bool", "integer": "int", "number": "float"}[kind]

    def field(self, owner: str, name: str, schema: dict[str, Any]) -> str:
        annotation = self.annotation(schema)
        if name in ALWAYS_SENT.get(owner, ()):
            return f"    {snake(name)}: {annotation}"
        # What can be empty is, where it is absent. Only a text can be missing.
        kind = annotation.split("[")[0]
        if kind in ("list", "dict") or kind in WITH_FACTS:
            return f"    {snake(name)}: {annotation} = field(default_factory={kind})"
        if kind == "bool":
            return f"    {snake(name)}: bool = False"
        is_required = name in self.schemas[owner].get("required", ()) or owner in WITH_FACTS
        if is_required and kind not in self.schemas and not annotation.endswith("| None"):
            return f'    {snake(name)}: {annotation} = ""'
        return f"    {snake(name)}: {annotation.removesuffix(' | None')} | None = None"

    def generate(self) -> str:
        for root in ROOTS:
            self.need(root)
        enums, classes = [], []
        for name in sorted(self.needed, key=lambda name: (name not in EXTENDS.values(), name)):
            schema = self.schemas[name]
            if "enum" in schema:
                enums.append(wrapped(f"{name} = Literal[", schema["enum"], "]"))
            elif "properties" in schema:
                properties = schema["properties"]
                base = "FactHolder" if name in WITH_FACTS else "Record"
                if name in EXTENDS:
                    base = EXTENDS[name]
                    shared = self.schemas[base]["properties"]
                    properties = {key: value for key, value in properties.items() if key not in shared}
                lines = ["@dataclass(frozen=True, kw_only=True, repr=False)", f"class {name}({base}):"]
                lines.append(f'    """{first_clause(schema.get("description", name))}"""\n')
                lines += [self.field(name, key, value) for key, value in properties.items()]
                classes.append("\n".join(lines))
        enums.append("# What a request may be wrong in.")
        enums.append(wrapped("REQUEST_FIELDS = frozenset((", self.request_fields(), "))"))
        return HEADER + "\n" + "\n".join(enums) + "\n\n\n" + "\n\n\n".join(classes) + "\n"

    def request_fields(self) -> list[str]:
        found = {"body", "Content-Type", "Idempotency-Key"}
        for name, schema in self.schemas.items():
            if name.endswith("Request"):
                found.update(schema["properties"])
        return sorted(found)


def main() -> int:
    text = Generator(json.loads(DOCUMENT.read_text("utf-8"))).generate()
    if "--check" in sys.argv[1:]:
        if TARGET.read_text("utf-8") == text:
            return 0
        print(f"{TARGET.name} is stale: run {Path(__file__).name}", file=sys.stderr)
        return 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
