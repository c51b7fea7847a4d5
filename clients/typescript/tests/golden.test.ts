// Every answer of the interface's golden files that the client may get, and what it reads from it.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { Client, CtxmemError, type Access } from "../src/index.js";
import { BASE, golden, json, ROOT, serviceOf } from "./support.js";

const answering = (body: unknown, status = 200) => serviceOf(() => json(body, status), { demo: true, maxRetries: 0 }).client;
const observed = (value: string) => ({ value, source_type: "observed" });
const unknown = (value: string) => ({ value, source_type: "unknown" });

/** Checks that each file of a folder is expected, but for requests and what other programs write. */
function files(folder: string, expected: Record<string, unknown>): string[] {
  const there = readdirSync(new URL(`../../ctxmem-types/tests/golden/${folder}`, ROOT));
  const answers = there.filter((name) => !name.startsWith("request") && !name.endsWith(".out.json"));
  assert.deepEqual(answers.map((name) => name.replace(".json", "")).sort(), Object.keys(expected).sort());
  return Object.keys(expected);
}

test("inject", async () => {
  const merged = "System:\nThe user is Ada, lives in Zürich.\n- editor: Helix";
  const demo = `System:\nThe user likes short answers.\n\n${BASE}`;
  const expected: Record<string, { access: Access; prompt?: string; context?: string; reason?: string; page?: boolean; recommended?: boolean }> = {
    empty: { access: "granted", reason: "empty" },
    empty_capsule: { access: "granted", reason: "empty_capsule" },
    enriched: { access: "granted", prompt: `${merged}\n\n${BASE}`, context: merged, recommended: true },
    no_grant: { access: "denied", reason: "no_grant" },
    no_grant_with_consent_url: { access: "must_ask", reason: "no_grant", page: true },
    no_scopes: { access: "no_scopes", reason: "no_scopes" },
    only_prompt: { access: "granted" },
    only_prompt_and_reason: { access: "denied", reason: "no_grant" },
    openai_param: { access: "granted", recommended: true },
    seeded_demo: { access: "granted", reason: "seeded_demo", prompt: demo },
    unknown_fields: { access: "granted", recommended: true },
    unknown_reason: { access: "unknown", reason: "paused_by_user" },
  };
  for (const name of files("inject", expected)) {
    const body = golden(`inject/${name}.json`);
    const system = await answering(body).inject("ada", BASE);
    const wanted = expected[name];
    assert.equal(system.prompt, wanted.prompt ?? BASE, name);
    assert.equal(system.access, wanted.access, name);
    assert.equal(system.reason, wanted.reason, name);
    assert.equal(system.consentUrl, wanted.page ? body.consent_url : undefined, name);
    assert.equal(system.notice, body.notice, name);
    assert.equal(system.seeded, name === "seeded_demo", name);
    assert.equal(system.enriched, wanted.context !== undefined, name);
    assert.equal(system.fallback, undefined, name);
    assert.equal(system.cacheHint.recommended, wanted.recommended ?? false, name);
    const hint = body.cacheHint ?? {};
    assert.equal(system.cacheHint.retention, hint.retention, name);
    assert.deepEqual(system.parts, wanted.context ? { base: BASE, context: wanted.context } : { base: BASE }, name);
  }
});

test("the older name of the provider's parameters is read", async () => {
  const body = golden("inject/openai_param.json");
  body.cacheHint.openaiParam.prompt_cache_retention = "1h";
  assert.equal((await answering(body).inject("ada", BASE)).cacheHint.retention, "1h");
});

test("update", async () => {
  const zed = { editor: observed("Zed") };
  const lisbon = { location: observed("Lisbon") };
  const expected: Record<string, object> = {
    all_denied: { updated: true, delta: {}, denied_scopes: ["general"], notice: "Nothing was stored." },
    all_denied_and_not_updated: { updated: false, delta: {}, denied_scopes: ["history"], notice: "Nothing was stored." },
    facts: {
      updated: true,
      delta: {
        ongoing_tasks: [observed("Finding a flat in Lisbon")],
        domain_expertise: [observed("Zed")],
        communication_style: "Answers in Portuguese",
        preferences: zed,
        general: lisbon,
      },
    },
    filtered: { updated: true, delta: {}, outcome: "filtered" },
    known_already: { updated: true, delta: {}, outcome: "nothing_new" },
    limit_reached: { updated: false, limitReached: true },
    nothing_new: { updated: true, delta: {} },
    odd_slices: { updated: true, delta: { raw_history: [unknown("plain")], preferences: {} } },
    partly_denied: {
      updated: true,
      delta: { general: lisbon },
      denied_scopes: ["goals", "relationships"],
      notice: "Some facts were not stored: this agent is not granted their scopes.",
    },
    plain_text: { updated: true, delta: { communication_style: "No emoji" } },
    refused: { updated: true, delta: {}, outcome: "refused", notice: "Nothing was stored: secrets are never stored." },
    removed: {
      updated: true,
      delta: { preferences: zed },
      removed: { preferences: { shell: observed("fish") }, domain_expertise: [observed("Vim script")] },
    },
    string_lists: {
      updated: true,
      delta: { ongoing_tasks: [unknown("Finding a flat"), unknown("Selling the car")], key_relationships: [], communication_style: "Terse" },
    },
    strings_by_name: { updated: true, delta: { preferences: { editor: unknown("Zed"), shell: unknown("fish") }, general: {} } },
    unknown_denied_scopes: {
      updated: true,
      delta: {},
      denied_scopes: ["emotional_state", "ongoing_tasks", "knowledge"],
      notice: "Nothing was stored.",
    },
    unknown_fields: { updated: true, delta: {}, model: "small", usage: { tokens: 512 } },
    unknown_outcome: { updated: true, delta: {}, outcome: "postponed" },
  };
  for (const name of files("update", expected)) {
    const learned = await answering(golden(`update/${name}.json`)).update("ada", "Hi.", "Hello.");
    assert.deepEqual(learned, expected[name], name);
  }
});

test("context", async () => {
  const id = "5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11";
  const empty = {
    userId: id,
    communication_style: "",
    ongoing_tasks: [],
    key_relationships: [],
    domain_expertise: [],
    raw_history: [],
    preferences: {},
    general: {},
    last_updated: "2026-03-01T09:30:00.000Z",
  };
  const other = { ...empty, userId: "user-42" };
  const primary = golden("context/primary.json");
  const expected: Record<string, object> = {
    deleted: {},
    deleted_with_unknown_fields: {},
    empty,
    history_of_facts: {
      ...empty,
      raw_history: [observed("Chose SQLite over Postgres for the pilot"), { value: "Shipped v1 in May", source_type: "imported" }],
    },
    odd_history: { ...other, raw_history: [unknown("Moved to Lisbon"), observed("Sold the car")] },
    only_user_id: { ...other, last_updated: "" },
    other_order_and_nulls: other,
    plain_strings: {
      ...other,
      communication_style: "Terse",
      ongoing_tasks: [unknown("Ship the beta")],
      key_relationships: [unknown("Works with Noor")],
      domain_expertise: [unknown("Go"), unknown("Kubernetes")],
      preferences: { editor: unknown("Vim"), shell: unknown("fish") },
      last_updated: "2025-11-20T08:15:30.123Z",
    },
    primary,
    unknown_fields: {
      ...empty,
      ongoing_tasks: [observed("Write the paper")],
      preferences: { editor: unknown("Emacs") },
    },
    unknown_source_types: {
      ...empty,
      ongoing_tasks: [
        { value: "Plan the offsite", source_type: "inferred" },
        { value: "Renew the passport", source_type: "demo" },
        { value: "Learn Dutch", source_type: "" },
      ],
    },
    values_without_source_type: { ...other, ongoing_tasks: [unknown("Ship the beta"), unknown("Hire")], last_updated: "" },
  };
  for (const name of files("context", expected)) {
    const client = answering(golden(`context/${name}.json`));
    if (name.startsWith("deleted")) await client.deleteContext("ada");
    else assert.deepEqual(await client.context("ada"), expected[name], name);
  }
});

test("facts", async () => {
  for (const name of files("facts", { list: 0, unknown_fields: 0 })) {
    const body = golden(`facts/${name}.json`);
    assert.deepEqual(await answering(body).facts("ada"), body.facts, name);
    assert.deepEqual(await answering(body).searchFacts("ada", "Where?"), body.facts, name);
  }
});

test("grants", async () => {
  const names = ["all_scopes", "granted", "granted_but_revoked", "unknown_fields", "unknown_scope", "without_expires_at"];
  const expiries = ["microseconds", "milliseconds", "nanoseconds", "no_offset", "offset", "seconds"].map((form) => `expires_${form}`);
  const revocations = ["revoked", "revoked_with_unknown_fields"];
  const all = [...names, ...expiries, ...revocations];
  // Only a signed-in user revokes a grant, so an agent never gets those answers.
  for (const name of files("grants", Object.fromEntries(all.map((own) => [own, 0]))).filter((own) => !revocations.includes(own))) {
    const { grant } = golden(`grants/${name}.json`);
    const asked = { userId: "ada", agentId: "a", scopes: [] };
    assert.deepEqual(await answering({ grant }).createGrant(asked), { ...grant, expires_at: grant.expires_at ?? null }, name);
  }
});

test("health", async () => {
  const expected: Record<string, boolean> = {
    degraded: false,
    only_not_ok: false,
    only_ok: true,
    only_status: true,
    primary: true,
    unknown_fields: true,
  };
  for (const name of files("health", expected)) {
    const body = golden(`health/${name}.json`);
    const health = await answering(body, expected[name] ? 200 : 503).health();
    assert.equal(health.healthy, expected[name], name);
    assert.deepEqual(health.checks, body.checks, name);
    assert.equal(health.version, body.version, name);
  }
});

test("errors", async () => {
  const expected: Record<string, number> = {
    bad_request: 400,
    forbidden: 403,
    forbidden_with_consent_url: 403,
    internal_error: 500,
    model_error: 502,
    not_found: 404,
    persistence_error: 500,
    rate_limited: 429,
    unauthorized: 401,
    unknown_code: 402,
    unknown_fields: 429,
  };
  for (const name of files("error", expected)) {
    const body = golden(`error/${name}.json`);
    const error: CtxmemError = await answering(body, expected[name]).context("ada").then(
      () => assert.fail(name),
      (caught) => caught,
    );
    assert.ok(error instanceof CtxmemError);
    assert.equal(error.code, body.code, name);
    assert.equal(error.status, expected[name], name);
    assert.equal(error.serviceMessage, body.error, name);
    assert.equal(error.consentUrl, body.consent_url, name);
    assert.equal(error.retryable, expected[name] >= 429, name);
    assert.equal(error.field, name === "bad_request" ? "basePrompt" : undefined, name);
  }
});

test("a client is made of the environment, and says what is wrong with it", () => {
  const env = { CTXMEM_BASE_URL: "http://127.0.0.1:8080/", CTXMEM_API_KEY: "ctxm_k" };
  assert.ok(Client.fromEnv({}, env));
  assert.throws(() => Client.fromEnv({}, { ...env, CTXMEM_API_KEY: "" }), /^CtxmemError: CTXMEM_API_KEY: the environment variable is not set$/);
  assert.throws(() => Client.fromEnv({}, { ...env, CTXMEM_BASE_URL: undefined }), /CTXMEM_BASE_URL/);
  for (const baseUrl of ["", "memory.example.com", "ftp://m.example", "https://u:p@m.example", "https://m.example?k=canary"]) {
    assert.throws(() => new Client({ baseUrl, apiKey: "k" }), (error: Error) => /^baseUrl: /.test(error.message) && !error.message.includes("canary"));
  }
  for (const apiKey of ["", "a canary", "a\r\nX: canary", "ключ"]) {
    assert.throws(() => new Client({ baseUrl: "https://m.example", apiKey }), (error: Error) => /^apiKey: /.test(error.message) && !error.message.includes("canary"));
  }
});
