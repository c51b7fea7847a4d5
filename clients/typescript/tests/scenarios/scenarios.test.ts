// What happens to turns and updates when things go wrong, with the real server: CTXMEM_SERVER names its
// program. CTXMEM_OUTAGE_SECONDS is the length of the long outage, 60 by default.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../../src/index.js";
import { later } from "../support.js";
import { Proxy, RealServer, talk, tell } from "./support.js";

let server: RealServer;
let proxy: Proxy;

// A server for each, so that nobody meets facts of others.
const scenario = (name: string, run: () => Promise<void>) =>
  test(name, { timeout: 300_000 }, async () => {
    server = await new RealServer().start();
    proxy = await new Proxy(server).start();
    try {
      await run();
    } finally {
      await proxy.end();
      await server.end();
    }
  });

type Told = Awaited<ReturnType<typeof talk>>;
function nothingIsLost(told: Told): void {
  assert.equal(told.prompts, told.turns);
  assert.ok(told.slowestMs < 1000 + 2 * told.lagMs, `${told.slowestMs} ms, of which this program was late by ${told.lagMs} ms`);
  assert.deepEqual({ ...told.stats, sent: told.turns }, { accepted: told.turns, sent: told.turns, failed: 0, dropped: 0, rejected: 0, pending: 0 });
  assert.equal(told.stats.sent, told.turns);
  assert.equal(told.stored, told.turns);
  assert.equal(told.twice, 0);
}

scenario("all is well", async () => {
  const told = await talk(server, server.url, { turns: 20, pauseMs: 100 });
  tell("all is well", told);
  nothingIsLost(told);
  // On a busy machine the server needs more than its time now and then.
  assert.ok(told.fallbacks.every(({ isOutage }) => isOutage) && told.fallbacks.length < told.turns / 2);
});

scenario("kill -9 of the server, back after 3 s", async () => {
  const told = await talk(server, server.url, {
    turns: 24,
    pauseMs: 300,
    async meanwhile() {
      await later(2000);
      await server.kill();
      await later(3000);
      await server.start();
    },
  });
  tell("kill -9 of the server, back after 3 s", told);
  nothingIsLost(told);
  assert.ok(told.fallbacks.length > 0 && told.fallbacks.length < told.turns);
  assert.ok(told.fallbacks.every(({ isOutage }) => isOutage));
});

scenario("answers 0.7 s late", async () => {
  proxy.delayMs = 700;
  const told = await talk(server, proxy.url, { turns: 16, pauseMs: 100 });
  tell("answers 0.7 s late", told);
  nothingIsLost(told);
});

scenario("answers 2 s late", async () => {
  proxy.delayMs = 2000;
  const told = await talk(server, proxy.url, { turns: 8, pauseMs: 500 });
  tell("answers 2 s late", told);
  nothingIsLost(told);
  assert.equal(told.fallbacks.length, told.turns);
});

scenario("wrong key", async () => {
  server.key = `${server.key}x`;
  const told = await talk(server, server.url, { turns: 8, pauseMs: 50 });
  tell("wrong key", told);
  assert.equal(told.prompts, told.turns);
  assert.ok(told.fallbacks.every(({ code, isOutage }) => code === "UNAUTHORIZED" && !isOutage));
  assert.equal(told.fallbacks.length, told.turns);
  assert.deepEqual(told.stats, { accepted: told.turns, sent: 0, failed: told.turns, dropped: 0, rejected: 0, pending: 0 });
  assert.equal(told.warnings.length, 2);
  await assert.rejects(new Client({ baseUrl: server.url, apiKey: server.key }).checkKey(), { code: "UNAUTHORIZED" });
});

scenario("half of the answers cut off", async () => {
  proxy.cutShare = 0.5;
  const told = await talk(server, proxy.url, { turns: 12, pauseMs: 100 });
  tell("half of the answers cut off", told);
  nothingIsLost(told);
  assert.ok(proxy.cut > 100);
});

scenario("outage", async () => {
  const seconds = Number(process.env.CTXMEM_OUTAGE_SECONDS ?? 60);
  const turns = 24;
  const told = await talk(server, proxy.url, {
    turns,
    pauseMs: (seconds * 1000) / (turns - 6),
    async meanwhile() {
      await later((seconds * 1000) / 12);
      proxy.isDown = true;
      await later(seconds * 1000);
      proxy.isDown = false;
    },
  });
  tell(`outage of ${seconds} s`, told);
  nothingIsLost(told);
  assert.ok(told.fallbacks.length > told.turns / 2);
});

scenario("outage with a full queue", async () => {
  proxy.isDown = true;
  const told = await talk(server, proxy.url, { turns: 10, pauseMs: 50, closeMs: 1000, updates: { maxItems: 100 } });
  tell("outage with a full queue, never ending", told);
  assert.equal(told.prompts, told.turns);
  const { accepted, sent, failed, dropped, rejected } = told.stats;
  assert.equal(accepted, 100);
  assert.equal(rejected, told.turns - 100);
  assert.equal(told.refused, rejected);
  assert.deepEqual([sent, failed, dropped], [0, 0, 100]);
  assert.ok(told.closeMs < 2000, `${told.closeMs} ms`);
});
