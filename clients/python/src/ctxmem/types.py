"""The forms of requests and answers. Written by generate_types.py from docs/openapi.json: do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ._records import FactHolder, Record

InjectReason = Literal["no_grant", "no_scopes", "empty", "empty_capsule", "seeded_demo"]
Scope = Literal["general", "communication_style", "preferences", "knowledge", "relationships", "history", "goals"]
SourceType = Literal["observed", "edited", "imported", "demo"]
UpdateOutcome = Literal["filtered", "nothing_new", "refused", "model_failed"]
# What a request may be wrong in.
REQUEST_FIELDS = frozenset((
    "Content-Type", "Idempotency-Key", "agentId", "agentResponse", "at", "basePrompt", "body", "expiresAt", "limit",
    "message", "parts", "query", "scopes", "userId", "userMessage"
))


@dataclass(frozen=True, kw_only=True, repr=False)
class Delta(FactHolder):
    """Facts by the storage key of their scope; only what changed is there."""

    communication_style: str = ""
    domain_expertise: list[Fact] = field(default_factory=list)
    general: dict[str, Fact] = field(default_factory=dict)
    key_relationships: list[Fact] = field(default_factory=list)
    ongoing_tasks: list[Fact] = field(default_factory=list)
    preferences: dict[str, Fact] = field(default_factory=dict)
    raw_history: list[Fact] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, repr=False)
class Fact(Record):
    """A fact, and where it comes from."""

    source_type: SourceType | str = ""
    value: str


@dataclass(frozen=True, kw_only=True, repr=False)
class CacheHint(Record):
    """A hint for the model provider's prompt cache."""

    provider_param: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    recommended: bool = False
    retention: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Context(Delta):
    """The context object."""

    last_updated: str = ""
    user_id: str


@dataclass(frozen=True, kw_only=True, repr=False)
class DeleteResponse(Record):
    """The answer to DELETE /api/context/{userId}."""

    consent_url: str | None = None
    deleted: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class FactRecord(Fact):
    """One remembered fact, with the id by which it can be deleted."""

    can_delete: bool = False
    id: str
    name: str | None = None
    scope: Scope | str = ""
    stored_at: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class FactsResponse(Record):
    """The answer to GET /api/context/{userId}/facts."""

    facts: list[FactRecord]


@dataclass(frozen=True, kw_only=True, repr=False)
class Grant(Record):
    """A grant."""

    agent_id: str = ""
    expires_at: str | None = None
    id: str
    revoked: bool = False
    scopes: list[Scope | str]
    user_id: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class GrantResponse(Record):
    """The answer to POST /api/grants."""

    grant: Grant


@dataclass(frozen=True, kw_only=True, repr=False)
class Health(Record):
    """The health of a deployment."""

    checks: dict[str, str] = field(default_factory=dict)
    status: str = ""
    timestamp: str = ""
    version: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class InjectResponse(Record):
    """The answer to an inject request."""

    base_prompt: str | None = None
    cache_hint: CacheHint | None = None
    consent_url: str | None = None
    context: str | None = None
    injected_prompt: str
    notice: str | None = None
    reason: InjectReason | str | None = None
    relevant: str | None = None
    seeded: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class UpdateResponse(Record):
    """The answer to an update request."""

    delta: Delta = field(default_factory=Delta)
    denied_scopes: list[Scope | str] = field(default_factory=list)
    evicted: Delta = field(default_factory=Delta)
    limit_reached: bool = False
    notice: str | None = None
    outcome: UpdateOutcome | str | None = None
    removed: Delta = field(default_factory=Delta)
    updated: bool
