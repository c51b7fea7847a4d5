// A real server, a proxy in front of it that misbehaves on request, and users who talk all the time.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { Client, Turns, type ClientOptions, type CtxmemError, type UpdatesOptions } from "../../src/index.js";
import { BASE, later } from "../support.js";

const program = process.env.CTXMEM_SERVER;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A server of its own, which can be killed and started again on the same database and port. */
export class RealServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "ctxmem-scenario-"));
  #process: ChildProcess | undefined;
  port = 0;
  key = "";

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    if (!program) throw new Error("CTXMEM_SERVER has to name the server's program");
    this.port ||= await freePort();
    const database = `sqlite://${join(this.#folder, "ctxmem.db")}`;
    const own = ["--listen", `127.0.0.1:${this.port}`, "--rate-limit", "0", "--database-url", database];
    this.#process = spawn(program, own, { stdio: "ignore" });
    const deadline = performance.now() + 20_000;
    while (!(await fetch(`${this.url}/readyz`).then((answer) => answer.ok, () => false))) {
      if (performance.now() > deadline) throw new Error("the server does not start");
      await later(50);
    }
    if (!this.key) {
      const created = execFileSync(program, ["agent", "create", "--name", "Scenario", "--json", "--database-url", database]);
      this.key = JSON.parse(String(created)).api_key;
    }
    return this;
  }

  /** As a crash: kill -9. */
  async kill(): Promise<void> {
    const ended = once(this.#process!, "exit");
    this.#process!.kill("SIGKILL");
    await ended;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Passes requests on. What it does to each answer can be changed at any time. */
export class Proxy {
  readonly #to: RealServer;
  readonly #server: Server = createServer((ask, answer) => void this.#pass(ask, answer).catch(() => answer.destroy()));
  /** Milliseconds that each answer is late. */
  delayMs = 0;
  /** The share of answers that break off in the middle. */
  cutShare = 0;
  /** Whether connections are closed at once. */
  isDown = false;
  cut = 0;

  constructor(to: RealServer) {
    this.#to = to;
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #pass(ask: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (this.isDown) return void answer.destroy();
    const own = request(this.#to.url + ask.url, { method: ask.method, headers: ask.headers });
    const answered = once(own, "response");
    ask.pipe(own);
    const [response] = (await answered) as [IncomingMessage];
    const body = Buffer.concat(await response.toArray());
    await later(this.delayMs);
    answer.writeHead(response.statusCode!, { ...response.headers, "content-length": body.length });
    if (Math.random() >= this.cutShare) return void answer.end(body);
    this.cut += 1;
    answer.write(body.subarray(0, body.length / 2), () => answer.destroy());
  }

  async end(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** One for each turn, so that each is a fact of its own. */
const things = (
  "anchors bagpipes candles drums easels flutes globes hammocks irises jigsaws kites lanterns " +
  "marbles nutcrackers oboes paddles quilts rackets saddles tubas umbrellas violins walnuts xylophones"
).split(" ");

export interface Talk {
  users?: number;
  turns: number;
  /** How long each user waits after a turn. */
  pauseMs: number;
  closeMs?: number;
  client?: Partial<ClientOptions>;
  updates?: UpdatesOptions;
  /** What happens meanwhile. */
  meanwhile?: () => Promise<void>;
}

/** Lets users talk to an agent, and counts. */
export async function talk(server: RealServer, url: string, talk: Talk) {
  const { users = 40, turns, pauseMs } = talk;
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const client = new Client({ baseUrl: url, apiKey: server.key, warn, ...talk.client });
  const memory = new Turns(client, talk.updates);
  const names = Array.from({ length: users }, (_, user) => `user-${user}`);
  const counts = { turns: 0, prompts: 0, slowestMs: 0, refused: 0 };
  const fallbacks: CtxmemError[] = [];
  const accepted = new Map(names.map((name) => [name, [] as string[]]));
  const live = async (name: string) => {
    await later(Math.random() * pauseMs);
    for (let turn = 0; turn < turns; turn++) {
      counts.turns += 1;
      const began = performance.now();
      const own = await memory.begin(name, BASE, `Remember that I keep my ${things[turn]} in the cellar.`);
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - began);
      if (own.prompt.includes(BASE)) counts.prompts += 1;
      if (own.fallback) fallbacks.push(own.fallback);
      if (own.finish("I will.")) accepted.get(name)!.push(things[turn]);
      else counts.refused += 1;
      await later(pauseMs);
    }
  };
  // On a busy machine this program comes too late itself, for which no deadline can help.
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  await Promise.all([...names.map(live), talk.meanwhile?.()]);
  lag.disable();
  const closing = performance.now();
  const stats = await memory.close(talk.closeMs ?? 120_000);
  const closeMs = performance.now() - closing;
  const direct = new Client({ baseUrl: server.url, apiKey: server.key });
  let [stored, missing, twice] = [0, 0, 0];
  for (const name of names) {
    const facts = await direct.facts(name).catch(() => []);
    for (const thing of accepted.get(name)!) {
      const found = facts.filter(({ value }) => value.includes(thing)).length;
      stored += Math.min(found, 1);
      missing += Number(found === 0);
      twice += Math.max(found - 1, 0);
    }
  }
  return { ...counts, lagMs: lag.max / 1e6, fallbacks, stats, closeMs, stored, missing, twice, warnings };
}

/** One line about a scenario. */
export function tell(name: string, told: Awaited<ReturnType<typeof talk>>): void {
  const { sent, failed, dropped, rejected } = told.stats;
  console.log(
    `${name}: prompts ${told.prompts} of ${told.turns} (${told.fallbacks.length} without memory), slowest ${Math.round(told.slowestMs)} ms; ` +
      `updates: ${sent} sent, ${failed} failed, ${dropped} dropped, ${rejected} rejected, ` +
      `${told.stored} stored, ${told.missing} missing, ${told.twice} twice; closed in ${Math.round(told.closeMs)} ms`,
  );
}
