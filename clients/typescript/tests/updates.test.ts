import assert from "node:assert/strict";
import { test } from "node:test";

import { Updates, type UpdateResult } from "../src/index.js";
import { golden, json, later, plain, serviceOf, until } from "./support.js";

const turn = (userId: string, userMessage = "Hi.") => ({ userId, userMessage, agentResponse: "Hello." });

/** A service whose answers the test gives by hand. */
function byHand() {
  const open: { body: Record<string, any>; answer: (response?: Response) => void }[] = [];
  const service = serviceOf(({ body }) => new Promise<Response>((resolve) => {
    open.push({ body, answer: (response = json({ updated: true, delta: {} })) => resolve(response) });
  }));
  return { ...service, open };
}

test("each user's updates go out in order, those of 32 users at a time", async () => {
  const { client, open, seen } = byHand();
  const updates = new Updates(client);
  for (const message of ["1", "2", "3"]) for (let user = 0; user < 40; user++) updates.send(turn(`user ${user}`, message));
  await later(20);
  assert.equal(open.length, 32);
  assert.equal(new Set(open.map(({ body }) => body.userId)).size, 32);
  while (updates.stats.pending > 0) {
    await until(() => open.length > 0);
    const under = open.map(({ body }) => body.userId);
    assert.equal(new Set(under).size, under.length);
    assert.ok(under.length <= 32);
    open.splice(Math.floor(open.length / 2), 1)[0].answer();
    await later(0);
  }
  for (let user = 0; user < 40; user++) {
    const own = seen.filter(({ body }) => body.userId === `user ${user}`);
    assert.deepEqual(own.map(({ body }) => body.userMessage), ["1", "2", "3"]);
  }
  assert.deepEqual(updates.stats, { accepted: 120, sent: 120, failed: 0, dropped: 0, rejected: 0, pending: 0 });
});

test("what does not fit is refused at once and reported", async () => {
  const { client, open, warnings } = byHand();
  const results: UpdateResult[] = [];
  const few = new Updates(client, { maxItems: 2, onResult: (result) => results.push(result) });
  assert.deepEqual([1, 2, 3].map((n) => few.send(turn(`user ${n}`))), [true, true, false]);
  assert.deepEqual(results.map(({ outcome, reason, problem, userId }) => [outcome, reason, problem, userId]), [
    ["rejected", "full", "the queue is full", "user 3"],
  ]);
  const short = new Updates(client, { maxBytes: 100 });
  assert.deepEqual([short.send(turn("ada", "é".repeat(30))), short.send(turn("bob", "é".repeat(20)))], [true, false]);
  assert.deepEqual(warnings, ["ctxmem: an update was not learned: the queue is full"]);
  await until(() => open.length === 3);
  open.splice(0).forEach(({ answer }) => answer());
  assert.equal(await few.flush(1000), 0);
  assert.equal(await short.flush(1000), 0);
  // There is room again.
  assert.equal(short.send(turn("ada", "é".repeat(30))), true);
  await until(() => open.length === 1);
  open.splice(0)[0].answer();
  assert.equal(few.send(turn("user 3")), true);
  await until(() => open.length === 1);
  open[0].answer();
  assert.deepEqual(await few.close(1000), { accepted: 3, sent: 3, failed: 0, dropped: 0, rejected: 1, pending: 0 });
  assert.equal(few.send(turn("ada")), false);
  assert.equal(results.at(-1)?.reason, "closed");
});

test("an outage loses nothing while there is room: the same keys are tried until they arrive", async () => {
  let isUp = false;
  const { client, seen } = serviceOf((request, count) => (isUp ? plain(request, count) : Promise.reject(new TypeError("fetch failed"))));
  const updates = new Updates(client, { maxAgeWhenFullMs: 0 });
  for (let n = 0; n < 50; n++) updates.send(turn(`user ${n % 40}`, String(n)));
  await later(1500);
  assert.equal(updates.stats.pending, 50);
  isUp = true;
  assert.equal(await updates.flush(5000), 0);
  assert.equal(updates.stats.sent, 50);
  const keys = new Map<string, Set<string>>();
  for (const { body, headers } of seen) {
    const own = keys.get(body.userMessage) ?? new Set();
    keys.set(body.userMessage, own.add(headers.get("idempotency-key")!));
  }
  assert.equal(keys.size, 50);
  assert.ok([...keys.values()].every((own) => own.size === 1));
  assert.ok(seen.length > 82, `${seen.length} requests`);
});

test("when the service is there again, the others don't wait out their pauses", async () => {
  let isUp = false;
  const { client } = serviceOf((request, count) => (isUp ? plain(request, count) : json({}, 503)));
  const updates = new Updates(client);
  for (let n = 0; n < 30; n++) updates.send(turn(`user ${n}`));
  await later(2500);
  isUp = true;
  const began = performance.now();
  await until(() => updates.stats.sent > 0, 12_000);
  const first = performance.now();
  await until(() => updates.stats.pending === 0);
  assert.ok(performance.now() - first < 500, `${first - began} ms, then ${performance.now() - first} ms`);
});

test("only while the queue is full does what fails grow too old", async () => {
  const { client } = serviceOf(() => json({}, 503));
  const results: UpdateResult[] = [];
  const updates = new Updates(client, { maxItems: 2, maxAgeWhenFullMs: 100, onResult: (result) => results.push(result) });
  updates.send(turn("ada", "1"));
  updates.send(turn("bob", "2"));
  await later(1000);
  assert.equal(updates.stats.pending, 2);
  assert.equal(updates.send(turn("cyd", "3")), false);
  await until(() => updates.stats.failed === 1, 12_000);
  await later(100);
  assert.equal(updates.stats.pending, 1);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["rejected", "failed"]);
  assert.equal(updates.send(turn("cyd", "3")), true);
  assert.equal((await updates.close(0)).dropped, 2);
});

test("what is refused for good is not tried again", async () => {
  const { client, seen, warnings } = serviceOf(() => json(golden("error/unauthorized.json"), 401));
  const updates = new Updates(client);
  for (let n = 0; n < 10; n++) updates.send(turn(`user ${n}`));
  assert.equal(await updates.flush(1000), 0);
  assert.deepEqual(updates.stats, { accepted: 10, sent: 0, failed: 10, dropped: 0, rejected: 0, pending: 0 });
  assert.equal(seen.length, 10);
  assert.deepEqual(warnings, [
    "ctxmem: an update was not learned: the service answered 401 UNAUTHORIZED: the API key is missing or unknown",
  ]);
});

test("a wait that the service asks for holds for all users, whoever waits for the queue", async () => {
  const times: number[] = [];
  const { client } = serviceOf((request, count) => {
    times.push(performance.now());
    return count === 1 ? json({}, 429, { "retry-after": "0.6" }) : plain(request, count);
  });
  const updates = new Updates(client, { concurrency: 1 });
  updates.send(turn("ada"));
  await until(() => times.length === 1);
  updates.send(turn("bob"));
  assert.equal(await updates.flush(3000), 0);
  assert.equal(times.length, 3);
  assert.ok(times[1] - times[0] >= 590, `${times[1] - times[0]} ms`);
});

test("closing reports what was sent and what was not, and ends at its time", async () => {
  let count = 0;
  const { client } = serviceOf((request, n) => (count++ < 5 ? plain(request, n) : new Promise(() => {})));
  const results: UpdateResult[] = [];
  const updates = new Updates(client, { concurrency: 4, onResult: (result) => results.push(result) });
  for (let n = 0; n < 20; n++) updates.send(turn(`user ${n % 10}`));
  const began = performance.now();
  const stats = await updates.close(300);
  const took = performance.now() - began;
  assert.ok(took >= 290 && took < 600, `${took} ms`);
  assert.deepEqual(stats, { accepted: 20, sent: 5, failed: 0, dropped: 15, rejected: 0, pending: 0 });
  assert.equal(results.length, 20);
  assert.equal(results.filter(({ outcome, problem }) => outcome === "dropped" && problem === "the queue is closed").length, 15);
  assert.equal(count, 9);
  assert.deepEqual(await updates.close(300), stats);
});

test("closing ends also what waits for a retry or for the service's leave", async () => {
  for (const answer of [() => json({}, 503), () => json({}, 429, { "retry-after": "60" })]) {
    const { client } = serviceOf(answer);
    const updates = new Updates(client);
    for (let n = 0; n < 3; n++) updates.send(turn(`user ${n}`));
    const began = performance.now();
    assert.equal((await updates.close(400)).dropped, 3);
    assert.ok(performance.now() - began < 700);
  }
});

test("what goes out late says when it was; if that is refused, it goes out without", async () => {
  const { client, seen } = serviceOf((request, count) => {
    const isKnown = count > 3;
    return "at" in request.body && !isKnown ? json({ error: "at: unknown", code: "BAD_REQUEST" }, 400) : plain(request, count);
  });
  const updates = new Updates(client);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  updates.send({ ...turn("ada", "1"), at: minutesAgo(10) });
  updates.send({ ...turn("ada", "2"), at: minutesAgo(0.5) });
  updates.send({ ...turn("ada", "3"), at: minutesAgo(2) });
  assert.equal(await updates.flush(2000), 0);
  assert.equal(updates.stats.sent, 3);
  assert.deepEqual(seen.map(({ body }) => [body.userMessage, "at" in body]), [["1", true], ["1", false], ["2", false], ["3", true]]);
  assert.equal(seen[0].headers.get("idempotency-key"), seen[1].headers.get("idempotency-key"));
});

test("results tell what was learned, denied, and that the quota is used up; a callback that fails is told of", async () => {
  const answers = [golden("update/facts.json"), golden("update/partly_denied.json"), golden("update/limit_reached.json")];
  const { client, warnings } = serviceOf((_, count) => json(answers[count - 1]));
  const results: UpdateResult[] = [];
  const updates = new Updates(client, {
    onResult(result) {
      results.push(result);
      throw new Error("no disk");
    },
  });
  for (let n = 0; n < 3; n++) updates.send(turn("ada"));
  assert.equal(await updates.flush(1000), 0);
  assert.equal(results[0].response?.delta?.general?.location?.value, "Lisbon");
  assert.deepEqual(results[1].response?.denied_scopes, ["goals", "relationships"]);
  assert.deepEqual(results.map(({ problem }) => problem), [undefined, undefined, "the month's quota is used up"]);
  assert.deepEqual(warnings, ["ctxmem: the callback for results of updates failed"]);
});

test("an answer that is cut off counts as none", async () => {
  const { client, seen } = serviceOf((request, count) => (count < 3 ? new Response('{"updated": tr') : plain(request, count)));
  const updates = new Updates(client);
  updates.send(turn("ada"));
  assert.equal((await updates.close(3000)).sent, 1);
  assert.equal(seen.length, 3);
});

test("an exchange that is too long is cut before it takes the queue's room", async () => {
  const { client, open } = byHand();
  const updates = new Updates(client);
  for (let n = 0; n < 3; n++) assert.ok(updates.send({ userId: `user ${n}`, userMessage: "Hi.", agentResponse: "x".repeat(3_000_000) }));
  await until(() => open.length === 3);
  assert.equal((await updates.close(0)).dropped, 3);
});

test("a setting that is undefined is the default, and at least one update is sent at a time", async () => {
  const { client, seen } = serviceOf(plain, { timeoutMs: undefined, warn: undefined });
  for (const concurrency of [undefined, 0]) {
    const updates = new Updates(client, { concurrency, maxItems: undefined });
    assert.ok(updates.send(turn("ada")));
    assert.equal((await updates.close(1000)).sent, 1);
  }
  await client.facts("ada").catch(() => {});
  assert.equal(seen.length, 3);
});
