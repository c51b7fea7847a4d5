import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { CtxmemError, Turns, type UpdateResult } from "../src/index.js";
import { retryAfter } from "../src/retry.js";
import { cut, fit, MAX_BODY_BYTES } from "../src/text.js";
import { BASE, golden, json, KEY, later, plain, serviceOf } from "./support.js";

test("an update is retried with the same key and the same body", async () => {
  const { client, seen } = serviceOf((request, count) => {
    if (count === 1) return Promise.reject(new TypeError("fetch failed"));
    if (count === 2) return json(golden("error/model_error.json"), 502);
    return plain(request, count);
  });
  assert.deepEqual(await client.update("ada", "Hi.", "Hello.", { at: new Date("2026-03-01T09:30:00Z") }), { updated: true, delta: {} });
  assert.equal(seen.length, 3);
  assert.equal(new Set(seen.map(({ headers }) => headers.get("idempotency-key"))).size, 1);
  assert.equal(new Set(seen.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.equal(seen[0].body.at, "2026-03-01T09:30:00.000Z");
  await client.update("ada", "Hi.", "Hello.");
  assert.notEqual(seen[3].headers.get("idempotency-key"), seen[0].headers.get("idempotency-key"));
  await client.update("ada", "Hi.", "Hello.", { idempotencyKey: "message-4711" });
  assert.equal(seen[4].headers.get("idempotency-key"), "message-4711");
});

test("deletions are retried with the same key, too", async () => {
  const { client, seen } = serviceOf((_, count) => (count % 2 ? json({}, 503) : json({ deleted: true })));
  assert.deepEqual(await client.deleteContext("ada"), { consentUrl: undefined });
  await client.deleteFact("ada", "f1");
  const keys = seen.map(({ headers }) => headers.get("idempotency-key"));
  assert.ok(keys[0] && keys[0] === keys[1] && keys[2] === keys[3] && keys[0] !== keys[2]);
});

test("what can't succeed is not retried", async () => {
  for (const status of [301, 400, 401, 403, 404, 405, 413, 415]) {
    const { client, seen } = serviceOf(() => json({}, status));
    await assert.rejects(client.context("ada"), { status });
    assert.equal(seen.length, 1, String(status));
  }
  const { client, seen } = serviceOf(() => json({}, 503));
  await assert.rejects(client.context("ada"), { status: 503 });
  assert.equal(seen.length, 3);
});

test("Retry-After is waited for where there is time, and otherwise reported at once", async () => {
  const { client, seen } = serviceOf((request, count) => (count === 1 ? json({}, 429, { "retry-after": "0.3" }) : plain(request, count)));
  const began = performance.now();
  await client.update("ada", "Hi.", "Hello.");
  const took = performance.now() - began;
  assert.ok(took >= 290 && took < 600, `${took} ms`);
  assert.equal(seen.length, 2);

  const limited = serviceOf(() => json({}, 429, { "retry-after": "30" }), { timeoutMs: 5000 });
  const before = performance.now();
  await assert.rejects(limited.client.context("ada"), { status: 429, retryAfterMs: 30_000 });
  assert.ok(performance.now() - before < 200);
  assert.equal(limited.seen.length, 1);
});

test("a thousand calls to a service that is down cost ten retries", async () => {
  const { client, seen } = serviceOf(() => json({}, 500), { maxRetries: 1 });
  for (let call = 0; call < 100; call++) await client.context("ada").catch(() => {});
  assert.equal(seen.length, 110);
});

test("every form in which headers ask for a wait is understood", () => {
  const now = Date.parse("2026-03-01T09:30:00Z");
  const read = (headers: Record<string, string>, status = 429) => retryAfter(status, new Headers(headers), now);
  for (const [text, expected] of [
    ["0", 0],
    ["12", 12_000],
    ["1.5", 1500],
    ["-3", 0],
    ["86400", 300_000],
    ["1772357430", 30_000],
    ["1772357000", 0],
    ["1772357430000", 30_000],
    ["Sun, 01 Mar 2026 09:30:45 GMT", 45_000],
    ["2026-03-01T10:30:20.5+01:00", 20_500],
  ] as const) {
    assert.equal(read({ "retry-after": text }), expected, text);
  }
  for (const text of ["", "soon", "inf", "1e5", "1.2.3", "12 s", "-"]) assert.equal(read({ "retry-after": text }), undefined, text);
  assert.equal(read({ "x-ratelimit-reset": "1772357410" }), 10_000);
  assert.equal(read({ "retry-after": "2", "x-ratelimit-reset": "1772357410" }), 2000);
  // Other answers tell when the full burst is there again.
  assert.equal(read({ "x-ratelimit-reset": "1772357410" }, 500), undefined);
  // The service's clock counts.
  assert.equal(read({ "x-ratelimit-reset": "1772367410", date: "Sun, 01 Mar 2026 12:16:40 GMT" }), 10_000);
});

test("of an exchange that is too long the answer is cut, before the message", async () => {
  const limit = 1024 * 1024;
  const { client, seen } = serviceOf(plain);
  await client.update("é".repeat(128), "I moved to Lisbon.", "x".repeat(2 * limit), { at: new Date() });
  await client.update("ada", '"\n'.repeat(limit), "Hello.");
  await client.update("ada", "Hi.", "😀".repeat(limit));
  for (const { body } of seen) {
    const bytes = Buffer.byteLength(JSON.stringify(body));
    assert.ok(bytes <= limit && bytes > limit - 8192, `${bytes} bytes`);
    assert.ok(body.agentResponse.isWellFormed());
  }
  assert.equal(seen[0].body.userMessage, "I moved to Lisbon.");
  assert.equal(seen[1].body.agentResponse, "");
  assert.deepEqual(fit("Hi.", "Hello."), { userMessage: "Hi.", agentResponse: "Hello." });
  assert.equal(cut("a😀", 6), "a");
  assert.equal(cut("a😀", 7), "a😀");
  assert.ok(MAX_BODY_BYTES < limit);
});

test("a call can be given up", async () => {
  const { client } = serviceOf(() => new Promise(() => {}));
  const controller = new AbortController();
  const call = client.update("ada", "Hi.", "Hello.", { signal: controller.signal });
  await later(20);
  controller.abort();
  await assert.rejects(call);
  await assert.rejects(client.update("ada", "Hi.", "Hello.", { signal: AbortSignal.abort() }));
  const failing = serviceOf(() => {
    between.abort();
    return json({}, 503);
  });
  const between = new AbortController();
  await assert.rejects(failing.client.update("ada", "Hi.", "Hello.", { signal: between.signal }));
  assert.equal(failing.seen.length, 1);
});

test("the key is checked by what is refused after it", async () => {
  const found = (health: Response) => (seen: { path: string }) => (seen.path === "/api/health" ? health : json(golden("error/not_found.json"), 404));
  await serviceOf(() => json(golden("error/forbidden.json"), 403)).client.checkKey();
  await serviceOf(found(json({ ok: true }))).client.checkKey();
  await assert.rejects(serviceOf(found(json(golden("error/not_found.json"), 404))).client.checkKey(), { status: 404 });
  await assert.rejects(serviceOf(() => json(golden("error/unauthorized.json"), 401)).client.checkKey(), { code: "UNAUTHORIZED" });
  await assert.rejects(serviceOf(() => new Response("", { status: 403 })).client.checkKey(), { status: 403 });
});

test("errors name the field, the code and the request", async () => {
  const answers: [object, string, string | undefined][] = [
    [{ error: "body: it is larger than this server accepts.", code: "BAD_REQUEST" }, "body: it is larger than this server accepts", "body"],
    [{ error: "userId: expected a string, found a number", code: "BAD_REQUEST" }, "userId: expected a string, found a number", "userId"],
    [{ error: "scopes[3]: expected a string, found null", code: "BAD_REQUEST" }, "scopes[3]: expected a string, found null", "scopes[3]"],
    [{ error: "userId: canary is unknown", code: "BAD_REQUEST" }, "", undefined],
    [{ error: "canary: expected a string, found null", code: "BAD_REQUEST" }, "", undefined],
    [{ error: "at: expected a string, found canary", code: "BAD_REQUEST" }, "", undefined],
  ];
  for (const [body, words, field] of answers) {
    const { client } = serviceOf(() => json(body, 400, { "x-request-id": "r-17" }));
    const error: CtxmemError = await client.context("ada").then(() => assert.fail(), (caught) => caught);
    const expected = `the service answered 400 BAD_REQUEST: the request is not valid${words && `: ${words}`} (request r-17)`;
    assert.equal(error.message, expected);
    assert.equal(error.field, field);
    assert.equal(error.requestId, "r-17");
  }
});

test("nothing personal is in logs, texts of errors or what is printed", async () => {
  const canary = "canary";
  const texts: string[] = [];
  const print = (value: unknown) => {
    texts.push(inspect(value, { depth: 9, showHidden: true, getters: false }), String(value), JSON.stringify(value) ?? "");
    if (value instanceof Error) texts.push(value.message, value.stack ?? "");
  };
  const enriched = { injectedPrompt: `System:\n${canary}\n\n${BASE}${canary}`, relevant: canary, notice: canary, consent_url: `https://x/${canary}` };
  const quoting = { error: `userId: ${canary}`, code: `NO ${canary}`, consent_url: `https://x/${canary}` };
  const failures = [
    () => json(quoting, 400, { "x-request-id": `a ${canary}` }),
    () => json(quoting, 500),
    () => new Response(`{"${canary}`),
    () => Promise.reject(Object.assign(new TypeError(`Failed to parse ${canary}`), { cause: { code: `e-${canary}`, path: canary } })),
    () => new Promise<Response>(() => {}),
  ];
  const results: UpdateResult[] = [];
  for (const answer of [() => json({ ...enriched, updated: true, delta: { general: { name: canary } } }), ...failures]) {
    const { client, warnings } = serviceOf(answer, { injectTimeoutMs: 50, updateTimeoutMs: 50, timeoutMs: 50 });
    const turns = new Turns(client, { onResult: (result) => results.push(result) });
    const turn = await turns.begin(canary, BASE + canary, canary);
    turn.push(canary);
    print(turn);
    print(turn.fallback);
    turn.finish();
    print(turns);
    const silent = new Turns(client);
    silent.send({ userId: canary, userMessage: canary, agentResponse: canary });
    await silent.close(100);
    await turns.close(100);
    await client.context(canary).catch(print);
    await client.update(canary, canary, canary).catch(print);
    await client.facts(canary).catch(print);
    print(client);
    texts.push(...warnings);
  }
  results.forEach(print);
  assert.ok(results.some(({ outcome }) => outcome === "sent") && results.some(({ outcome }) => outcome === "failed"));
  for (const text of texts) {
    assert.ok(!text.includes(canary), text);
    assert.ok(!text.includes(KEY), text);
  }
  assert.ok(texts.length > 100);
});

test("a logger that fails fails nobody", async () => {
  const { client } = serviceOf(() => json({}, 500), { warn: () => { throw new Error("no disk"); }, maxRetries: 0 });
  assert.equal((await client.injectOrBase("ada", BASE)).prompt, BASE);
});
