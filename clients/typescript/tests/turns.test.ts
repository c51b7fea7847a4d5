import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { Client, Turns, type CtxmemError } from "../src/index.js";
import { BASE, golden, json, later, plain, serviceOf } from "./support.js";

const never = () => new Promise<Response>(() => {});

test("a turn has the prompt before the model call, and is learned from after it", async () => {
  const merged = `System:\n- location: Lisbon\n\n${BASE}`;
  const { client, seen } = serviceOf((request, count) => (count === 1 ? json({ injectedPrompt: merged }) : plain(request, count)));
  const turns = new Turns(client);
  const answer = await turns.run("ada", BASE, "Where do I live?", (turn) => {
    assert.equal(turn.prompt, merged);
    assert.equal(turn.userMessage, "Where do I live?");
    assert.equal(turn.access, "granted");
    return { text: "In Lisbon.", tokens: 3 };
  });
  assert.deepEqual(answer, { text: "In Lisbon.", tokens: 3 });
  assert.deepEqual(await turns.close(1000), { accepted: 1, sent: 1, failed: 0, dropped: 0, rejected: 0, pending: 0 });
  assert.deepEqual(
    seen.map(({ method, path, body }) => ({ method, path, body })),
    [
      { method: "POST", path: "/api/context/inject", body: { userId: "ada", basePrompt: BASE, message: "Where do I live?" } },
      { method: "POST", path: "/api/context/update", body: { userId: "ada", userMessage: "Where do I live?", agentResponse: "In Lisbon." } },
    ],
  );
  assert.equal(seen[0].headers.get("authorization"), "Bearer ctxm_canary-key");
  assert.equal(seen[0].headers.get("idempotency-key"), null);
  assert.match(seen[1].headers.get("idempotency-key")!, /^[\da-f-]{36}$/);
});

test("nothing is learned from a model call that fails", async () => {
  const { client, seen } = serviceOf(plain);
  const turns = new Turns(client);
  await assert.rejects(turns.run("ada", BASE, "Hi.", () => Promise.reject(new Error("the model is down"))), /the model is down/);
  assert.equal((await turns.close(1000)).accepted, 0);
  assert.equal(seen.length, 1);
});

test("a streamed turn is learned from once, when it is finished", async () => {
  const { client, seen } = serviceOf(plain);
  const turns = new Turns(client);
  const turn = await turns.begin("ada", BASE, "Hi.");
  for (const piece of ["Hel", "lo", "."]) turn.push(piece);
  assert.equal(seen.length, 1);
  assert.equal(turn.finish(), true);
  assert.equal(turn.finish(), false);
  await turns.close(1000);
  assert.deepEqual(seen.slice(1).map(({ body }) => body.agentResponse), ["Hello."]);
});

test("demo facts are left out, unless they are asked for", async () => {
  const body = { ...golden("inject/seeded_demo.json"), relevant: "Demo notes" };
  for (const demo of [false, true]) {
    const { client } = serviceOf(() => json(body), { demo });
    const turn = await new Turns(client).begin("ada", BASE, "Hi.");
    assert.equal(turn.prompt, demo ? body.injectedPrompt : BASE);
    assert.equal(turn.relevant, demo ? "Demo notes" : undefined);
    assert.equal(turn.seeded, demo);
    assert.equal(turn.reason, demo ? "seeded_demo" : "empty");
    assert.equal(turn.parts.base, BASE);
    assert.equal(turn.access, "granted");
  }
});

test("whoever has to be asked first gets the page, and nothing is sent to be learned from", async () => {
  const page = "https://memory.example.com/consent/1";
  for (const [answer, access] of [
    [{ reason: "no_grant", consent_url: page }, "must_ask"],
    [{ reason: "no_grant" }, "denied"],
    [{ reason: "no_scopes" }, "no_scopes"],
  ] as const) {
    const { client, seen } = serviceOf(() => json({ injectedPrompt: BASE, ...answer }));
    const turns = new Turns(client);
    const turn = await turns.begin("ada", BASE, "Hi.");
    assert.equal(turn.access, access);
    assert.equal(turn.consentUrl, access === "must_ask" ? page : undefined);
    assert.equal(turn.finish("Hello."), false);
    assert.equal((await turns.close(1000)).accepted, 0);
    assert.equal(seen.length, 1);
  }
});

test("what bears on the message goes beside it, not into the prompt", async () => {
  const { client } = serviceOf(() => json({ injectedPrompt: BASE, relevant: "Notes, which are data:\n- keeps bees" }));
  const turn = await new Turns(client).begin("ada", BASE, "And my bees?");
  assert.equal(turn.userMessage, "Notes, which are data:\n- keeps bees\n\nAnd my bees?");
  assert.equal(turn.prompt, BASE);
  const empty = serviceOf(() => json({ injectedPrompt: BASE, relevant: " \n" })).client;
  assert.equal((await new Turns(empty).begin("ada", BASE, "And my bees?")).userMessage, "And my bees?");
});

test("of a long message the first 16 KiB are sent with an inject, and no half characters", async () => {
  const { client, seen } = serviceOf(plain);
  await client.inject("ada", BASE, `a${"😀".repeat(16 * 1024)}`);
  await client.inject("ada", BASE, " \n");
  const sent: string = seen[0].body.message;
  assert.equal(Buffer.byteLength(sent), 16 * 1024 - 3);
  assert.ok(sent.isWellFormed());
  assert.equal("message" in seen[1].body, false);
});

test("whatever goes wrong, a turn has its prompt, and says why", async () => {
  const cases: [string, () => Response | Promise<Response>, Partial<CtxmemError>][] = [
    ["hangs", never, { kind: "timeout" }],
    ["hangs within the answer", () => new Response(new ReadableStream({})), { kind: "timeout" }],
    ["no connection", () => Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })), { kind: "network" }],
    ["broken off", () => new Response('{"injectedPrompt": "You are'), { kind: "unreadable", status: 200 }],
    ["not an object", () => json(["a"]), { kind: "unreadable", field: "injectedPrompt" }],
    ["without the base prompt", () => json({ injectedPrompt: "Something else." }), { kind: "unreadable", field: "injectedPrompt" }],
    ["a proxy's page", () => new Response("<html>", { status: 502 }), { kind: "api", status: 502, code: undefined }],
    ["wrong key", () => json(golden("error/unauthorized.json"), 401), { kind: "api", status: 401, code: "UNAUTHORIZED" }],
    ["redirect", () => new Response("", { status: 302, headers: { location: "/elsewhere" } }), { kind: "api", status: 302 }],
    ["rate limit", () => json(golden("error/rate_limited.json"), 429, { "retry-after": "30" }), { kind: "api", status: 429, retryAfterMs: 30_000 }],
  ];
  for (const [name, answer, expected] of cases) {
    const { client, warnings } = serviceOf(answer, { injectTimeoutMs: 200 });
    const began = performance.now();
    const turn = await new Turns(client).begin("ada", BASE, "Hi.");
    assert.ok(performance.now() - began < 400, `${name}: ${performance.now() - began} ms`);
    assert.equal(turn.prompt, BASE, name);
    assert.equal(turn.access, "unknown", name);
    for (const [field, value] of Object.entries(expected)) assert.equal(turn.fallback?.[field as keyof CtxmemError], value, `${name}: ${field}`);
    assert.equal(turn.fallback?.isOutage, !["wrong key", "redirect"].includes(name), name);
    assert.equal(warnings.length, 1, name);
  }
});

test("an id that can't be sent fails no turn either", async () => {
  const { client, seen } = serviceOf(plain);
  for (const userId of ["", ".", "..", "a\0b", "\ud83d", "é".repeat(129)]) {
    const { fallback } = await client.injectOrBase(userId, BASE);
    assert.equal(fallback?.kind, "invalid");
    assert.equal(fallback?.field, "userId");
    await assert.rejects(client.deleteContext(userId), { field: "userId" });
  }
  assert.equal(seen.length, 0);
  await client.deleteFact("a/b ☂", "f/1");
  assert.equal(seen[0].path, "/api/context/a%2Fb%20%E2%98%82/facts/f%2F1");
  await assert.rejects(client.deleteFact("ada", ".."), { field: "factId" });
});

test("a turn waits 800 ms at most, also for a server that only accepts connections", async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = new Client({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "k", warn: () => {} });
  const began = performance.now();
  const system = await client.injectOrBase("ada", BASE);
  const took = performance.now() - began;
  server.closeAllConnections();
  server.close();
  assert.equal(system.fallback?.kind, "timeout");
  assert.ok(took >= 780 && took < 1000, `${took} ms`);
});

test("after five outages in a row nothing is sent, and the cause is named", async () => {
  const { client, seen, warnings } = serviceOf(() => json(golden("error/internal_error.json"), 500), { maxRetries: 0 });
  for (let turn = 0; turn < 5; turn++) assert.equal((await client.injectOrBase("ada", BASE)).fallback?.kind, "api");
  const { fallback, prompt } = await client.injectOrBase("ada", BASE);
  assert.equal(prompt, BASE);
  assert.equal(fallback?.kind, "paused");
  assert.ok(fallback!.isOutage && fallback!.retryAfterMs! > 4000 && fallback!.retryAfterMs! <= 5000);
  assert.match(fallback!.message, /the service answered 500 INTERNAL_ERROR/);
  assert.equal((fallback!.cause as CtxmemError).status, 500);
  assert.equal(seen.length, 5);
  assert.equal(warnings.length, 1);
  // The single calls are always sent.
  await assert.rejects(client.inject("ada", BASE), { status: 500 });
});

test("a 429 stops the turns for as long as it says; then one of them tries, and all go on", async () => {
  let answered: (response: Response) => void = () => {};
  const { client, seen } = serviceOf((request, count) => {
    if (count === 1) return json(golden("error/rate_limited.json"), 429, { "retry-after": "0.3" });
    if (count === 2) return new Promise((resolve) => (answered = resolve));
    return plain(request, count);
  }, { maxRetries: 0 });
  assert.equal((await client.injectOrBase("ada", BASE)).fallback?.status, 429);
  assert.match((await client.injectOrBase("ada", BASE)).fallback!.message, /no call is sent for a moment: the service answered 429 RATE_LIMITED/);
  await later(350);
  const probe = client.injectOrBase("ada", BASE);
  assert.equal((await client.injectOrBase("bob", BASE)).fallback?.kind, "paused");
  answered(json({ injectedPrompt: BASE, reason: "empty" }));
  assert.equal((await probe).fallback, undefined);
  assert.equal((await client.injectOrBase("bob", BASE)).fallback, undefined);
  assert.equal(seen.length, 3);
});

test("four outages and a success don't add up", async () => {
  const { client, seen } = serviceOf((request, count) => (count % 5 ? json({}, 500) : plain(request, count)), { maxRetries: 0 });
  for (let turn = 0; turn < 20; turn++) await client.injectOrBase("ada", BASE);
  assert.equal(seen.length, 20);
});
