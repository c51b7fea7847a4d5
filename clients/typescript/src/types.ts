// Generated from docs/openapi.json by scripts/types.mjs. Don't change it by hand.

/** A hint for the model provider's prompt cache. */
export interface CacheHint {
  /** Parameters for the call of the model provider. Older deployments name it `openaiParam`. Apply them only if `recommended` is true. */
  providerParam: Record<string, unknown>;
  /** The reason for the recommendation, written for people. */
  reason: string;
  /** True if stored context was merged, so that later prompts will begin the same way. */
  recommended: boolean;
  /** How long the prefix is worth caching, `24h`. */
  retention: string;
}

/** The context object. The slices of scopes that the agent may not read are empty. */
export interface Context {
  /** How the user wants replies to be written; several instructions are joined by `; `. */
  communication_style: string;
  /** Skills, tools, languages and frameworks: scope `knowledge`. */
  domain_expertise: Fact[];
  /** Identity attributes by name: name, location, time zone; absent in older deployments. */
  general: Record<string, Fact>;
  /** Named people: scope `relationships`. */
  key_relationships: Fact[];
  /** When stored content last changed. */
  last_updated: string;
  /** Projects, tasks, blockers and priorities: scope `goals`. */
  ongoing_tasks: Fact[];
  /** Tooling, environment and workflow choices by name; several values of one name, such as `diet`, are joined by `; `. */
  preferences: Record<string, Fact>;
  /** Decisions and completed actions: scope `history`; absent in older deployments. */
  raw_history: Fact[];
  /** The user's identifier. */
  userId: string;
}

/** Facts by the storage key of their scope; only what changed is there. */
export interface Delta {
  communication_style?: string;
  domain_expertise?: Fact[];
  general?: Record<string, Fact>;
  key_relationships?: Fact[];
  ongoing_tasks?: Fact[];
  preferences?: Record<string, Fact>;
  raw_history?: Fact[];
}

export type ErrorCode = "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "RATE_LIMITED" | "MODEL_ERROR" | "PERSISTENCE_ERROR" | "INTERNAL_ERROR" | (string & {});

/** A fact, and where it comes from. */
export interface Fact {
  source_type: SourceType;
  /** The fact, in a few words. */
  value: string;
}

/** One remembered fact, with the id by which it can be deleted. */
export interface FactRecord {
  /** Whether the caller may delete it: the agent that saved it may, and so may the user. */
  canDelete: boolean;
  /** The id: an opaque text of at most 64 characters that can stand in a path as it is. It names the fact as it was when it was listed; once another value stands in its place, the id is out of date. */
  id: string;
  /** The name, in the scopes whose facts have names: preferences and general. */
  name?: string;
  /** The scope. */
  scope: Scope;
  /** Where it comes from. */
  source_type: SourceType;
  /** Since when it has this value. */
  storedAt: string;
  /** The fact, in a few words. */
  value: string;
}

/** A grant. */
export interface Grant {
  /** The agent that got the grant, a UUID. */
  agent_id: string;
  expires_at: string | null;
  /** The grant's id, a UUID. */
  id: string;
  /** Whether the grant is revoked. */
  revoked: boolean;
  /** The scopes that the agent may read and write. */
  scopes: Scope[];
  /** The user who granted it; a UUID in the primary form, any text in others. */
  user_id: string;
}

/** The body of `POST /api/grants`. */
export interface GrantRequest {
  /** The agent that gets the grant. */
  agentId: string;
  expiresAt?: string | null;
  /** The scopes that the agent may read and write. An empty list pauses its access. */
  scopes: ScopeOrStorageKey[];
  /** The user who grants. */
  userId: string;
}

/** The health of a deployment: `{status, checks, timestamp}`, or `{ok}` in older ones. */
export interface Health {
  /** The state, such as `ok`, of each dependency by name (`database`, `model`, …). */
  checks: Record<string, string>;
  /** `ok` when healthy. */
  status: string;
  /** When the dependencies were checked. */
  timestamp: string;
  /** The version of the server. Our addition to the interface. */
  version?: string;
}

export type InjectReason = "no_grant" | "no_scopes" | "empty" | "empty_capsule" | "seeded_demo" | (string & {});

/** The body of an inject request. */
export interface InjectRequest {
  /** The agent, if the caller wants it checked against the key. */
  agentId?: string | null;
  /** The system prompt to enrich; may be empty. */
  basePrompt: string;
  /** The user's current message. With it the answer also has `relevant`, where facts that bear on the message had no room in the prompt. It is neither stored nor logged. Our addition to the interface. */
  message?: string | null;
  /** Whether the answer shall also have the prompt's parts, `context` and `basePrompt`. Our addition to the interface. */
  parts?: boolean;
  /** The user whose context is merged. */
  userId: string;
}

/** The answer to an inject request. Older deployments answer only `injectedPrompt`, sometimes with `reason`. */
export interface InjectResponse {
  /** If the request asked for parts: the base prompt, as it came. Our addition to the interface. */
  basePrompt?: string;
  /** A hint for the model provider's prompt cache. */
  cacheHint: CacheHint;
  /** With `no_grant`: the page where the user can allow this agent. Our addition to the interface. */
  consent_url?: string;
  /** If the request asked for parts: what was merged into the prompt, without the blank line after it; absent if nothing was. Our addition to the interface. */
  context?: string;
  /** The system prompt to use: enriched, or the base prompt unchanged. */
  injectedPrompt: string;
  /** The reason, written for people. */
  notice?: string;
  /** Why nothing stored was merged; absent if something was. */
  reason?: InjectReason;
  /** If the request had a message: facts that bear on it and that the prompt had no room for, as a text of at most some 200 tokens which says that it is data. Put it beside the user's message, never into the system prompt, whose bytes then stay the same from turn to turn. Absent if the prompt holds everything, or nothing else bears on the message. Our addition to the interface. */
  relevant?: string;
  /** True if demo facts were merged. */
  seeded?: boolean;
}

export type Scope = "general" | "communication_style" | "preferences" | "knowledge" | "relationships" | "history" | "goals" | (string & {});

export type ScopeOrStorageKey = "general" | "communication_style" | "preferences" | "knowledge" | "relationships" | "history" | "goals" | "domain_expertise" | "key_relationships" | "raw_history" | "ongoing_tasks";

export type SourceType = "observed" | "edited" | "imported" | "demo" | (string & {});

export type UpdateOutcome = "filtered" | "nothing_new" | "refused" | "model_failed" | (string & {});

/** The body of an update request: one interaction. */
export interface UpdateRequest {
  /** The agent, if the caller wants it checked against the key. */
  agentId?: string | null;
  /** What the agent answered. */
  agentResponse: string;
  at?: string | null;
  /** The user who talked to the agent. */
  userId: string;
  /** What the user said. */
  userMessage: string;
}

/** The answer to an update request. */
export interface UpdateResponse {
  /** The facts that this update wrote; absent if the quota is used up. */
  delta?: Delta;
  /** The scopes of facts that were dropped because the agent has no grant for them. */
  denied_scopes?: Scope[];
  /** The facts that this update dropped because their scope was full: what matters least made room. Our addition to the interface. */
  evicted?: Delta;
  /** True if the monthly quota is used up. */
  limitReached?: boolean;
  /** Why facts were dropped or refused, written for people. */
  notice?: string;
  /** Why nothing was stored, or that the model failed; otherwise absent if something was stored or removed, if scopes were denied, and over the quota. Our addition to the interface. */
  outcome?: UpdateOutcome;
  /** The facts that this update removed because the user retracted them. Our addition to the interface. */
  removed?: Delta;
  /** True if the interaction was accepted, even if nothing was learned from it; false if the monthly quota is used up. */
  updated: boolean;
}
