import { type Client, withDefaults } from "./client.js";
import { CtxmemError, invalid } from "./errors.js";
import { backoff, sleep, wake } from "./retry.js";
import { byteLength, fit } from "./text.js";
import type { UpdateResponse } from "./types.js";

/** One exchange between a user and an agent. */
export interface Interaction {
  userId: string;
  userMessage: string;
  agentResponse: string;
  /** When it was. Default: now. */
  at?: Date;
  /** The service learns once from all with the same key. Default: a new one. */
  idempotencyKey?: string;
}

const DEFAULTS = {
  /** How many updates are sent at a time, each of another user. Default: 32. */
  concurrency: 32,
  /** The most updates that wait or are being sent. Default: 1,000. */
  maxItems: 1000,
  /** The most bytes of text in them. Default: 4 MiB. */
  maxBytes: 4 * 1024 * 1024,
  /** How old, in milliseconds, a failing update gets while the queue has no room for others. Default: 120,000. */
  maxAgeWhenFullMs: 120_000,
  /** Is told how each update ended. Default: losses are warnings of the client's. */
  onResult: undefined as ((result: UpdateResult) => void) | undefined,
};

/** The settings of background updates. */
export type UpdatesOptions = Partial<typeof DEFAULTS>;

/** Counts of updates: `accepted` is the sum of `sent`, `failed`, `dropped` and `pending`. */
export interface UpdateStats {
  accepted: number;
  /** The service answered. */
  sent: number;
  /** The service refused it for good, or it was too old while the queue was full. */
  failed: number;
  /** Not sent when the queue was closed. */
  dropped: number;
  pending: number;
  /** Not accepted, because the queue was full or closed. */
  rejected: number;
}

type Item = Required<Interaction> & { acceptedAt: number; bytes: number };

/** How an update ended. It doesn't show the user or the facts when it is logged. */
export class UpdateResult {
  readonly #item: Item;
  readonly #response: UpdateResponse | undefined;

  /** Made by {@link Updates}. */
  constructor(
    item: Item,
    readonly outcome: "sent" | "failed" | "dropped" | "rejected",
    readonly reason?: CtxmemError | "full" | "closed",
    response?: UpdateResponse,
  ) {
    this.#item = item;
    this.#response = response;
  }

  get userId(): string {
    return this.#item.userId;
  }

  /** What was stored, removed or denied, if it was sent. */
  get response(): UpdateResponse | undefined {
    return this.#response;
  }

  /** Why nothing could be learned; absent if the service has read the exchange. */
  get problem(): string | undefined {
    if (this.reason instanceof CtxmemError) return this.reason.message;
    if (this.outcome === "sent") return this.#response?.limitReached ? "the month's quota is used up" : undefined;
    return `the queue is ${this.reason}`;
  }
}

/** What goes out this soon is taken for an exchange of just now, so that wrong clocks do no harm. */
const JUST_NOW_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** How often updates that wait for a retry are woken while somebody waits for the queue. */
const WAKE_MS = 250;

/**
 * Sends updates in the background. Each user's go out in order, one at a time. While the service is
 * unavailable they wait, with the same idempotency key, and grow old only if the queue is full. Every one
 * is counted and reported. What is pending keeps Node.js running: call {@link close} before your program ends.
 */
export class Updates {
  readonly #options: typeof DEFAULTS;
  /** The waiting updates of each user who has any, or has one under way. */
  readonly #users = new Map<string, Item[]>();
  /** Users of whom none is under way. */
  readonly #ready: string[] = [];
  readonly #flights = new Set<AbortController>();
  readonly #retries = new Set<() => void>();
  readonly #watchers = new Set<() => void>();
  readonly #counts = { accepted: 0, sent: 0, failed: 0, dropped: 0, rejected: 0 };
  #pending = 0;
  #bytes = 0;
  #isFull = false;
  #isClosed = false;
  #isOver = false;
  #pausedUntil = 0;

  constructor(
    readonly client: Client,
    options: UpdatesOptions = {},
  ) {
    this.#options = withDefaults(DEFAULTS, options);
  }

  /** Takes an update, and returns at once whether there was room for it. */
  send(interaction: Interaction): boolean {
    const { userId, at = new Date(), idempotencyKey = crypto.randomUUID() } = interaction;
    const exchange = fit(interaction.userMessage, interaction.agentResponse);
    const bytes = byteLength(userId + exchange.userMessage + exchange.agentResponse);
    const item: Item = { userId, ...exchange, at, idempotencyKey, bytes, acceptedAt: performance.now() };
    const hasRoom = this.#pending < this.#options.maxItems && this.#bytes + bytes <= this.#options.maxBytes;
    if (this.#isClosed || !hasRoom) {
      this.#isFull = !hasRoom;
      this.#counts.rejected += 1;
      this.#report(new UpdateResult(item, "rejected", this.#isClosed ? "closed" : "full"));
      return false;
    }
    this.#counts.accepted += 1;
    this.#pending += 1;
    this.#bytes += bytes;
    if (!this.#users.has(userId)) this.#ready.push(userId);
    const waiting = this.#users.get(userId) ?? [];
    waiting.push(item);
    this.#users.set(userId, waiting);
    this.#start();
    return true;
  }

  /** The counts so far. */
  get stats(): UpdateStats {
    return { ...this.#counts, pending: this.#pending };
  }

  /** Waits until all that was accepted has ended, at most this long, and returns how many are pending. */
  async flush(withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    for (let left = withinMs; this.#pending > 0 && left > 0; left = deadline - performance.now()) {
      wake(this.#retries);
      await sleep(Math.min(left, WAKE_MS), this.#watchers);
    }
    return this.#pending;
  }

  /** Takes no more updates, waits like {@link flush}, and drops what is left then. */
  async close(withinMs: number): Promise<UpdateStats> {
    this.#isClosed = true;
    await this.flush(withinMs);
    this.#isOver = true;
    this.#ready.length = 0;
    for (const items of this.#users.values()) {
      for (const item of items.splice(0)) this.#end(item, new UpdateResult(item, "dropped", "closed"));
    }
    for (const flight of this.#flights) flight.abort();
    wake(this.#retries);
    while (this.#pending > 0) await sleep(WAKE_MS, this.#watchers);
    return this.stats;
  }

  #start(): void {
    while (this.#flights.size < Math.max(this.#options.concurrency, 1) && this.#ready.length > 0) {
      const userId = this.#ready.shift()!;
      const items = this.#users.get(userId)!;
      const item = items.shift()!;
      const flight = new AbortController();
      this.#flights.add(flight);
      void this.#deliver(item, flight.signal).then((result) => {
        this.#flights.delete(flight);
        if (items.length > 0) this.#ready.push(userId);
        else this.#users.delete(userId);
        this.#end(item, result);
        this.#start();
      });
    }
  }

  async #deliver(item: Item, signal: AbortSignal): Promise<UpdateResult> {
    const { userId, userMessage, agentResponse, idempotencyKey } = item;
    let at: Date | undefined = item.at;
    for (let attempts = 1; ; attempts++) {
      for (let left; (left = this.#pausedUntil - performance.now()) > 0 && !this.#isOver;) await sleep(left, this.#retries);
      if (this.#isOver) return new UpdateResult(item, "dropped", "closed");
      const told = at && Date.now() - at.getTime() > JUST_NOW_MS ? at : undefined;
      try {
        const options = { idempotencyKey, signal, at: told, maxRetries: 0 };
        const response = await this.client.update(userId, userMessage, agentResponse, options);
        // The service is there again, so the others need not wait any longer.
        wake(this.#retries);
        return new UpdateResult(item, "sent", undefined, response);
      } catch (caught) {
        if (this.#isOver) return new UpdateResult(item, "dropped", "closed");
        const error = caught instanceof CtxmemError ? caught : invalid("call", "it can't be sent");
        // A clock ahead of the service's, or a service that had it before without the time, or knows no such field.
        if (error.status === 400 && told) {
          at = undefined;
          continue;
        }
        const isTooOld = this.#isFull && performance.now() - item.acceptedAt > this.#options.maxAgeWhenFullMs;
        if (!error.retryable || isTooOld) return new UpdateResult(item, "failed", error);
        const asked = error.retryAfterMs;
        if (asked === undefined) await sleep(backoff(attempts, FIRST_WAIT_MS, LONGEST_WAIT_MS), this.#retries);
        else this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + asked + Math.random() * FIRST_WAIT_MS);
      }
    }
  }

  #end(item: Item, result: UpdateResult): void {
    this.#pending -= 1;
    this.#bytes -= item.bytes;
    this.#isFull = false;
    this.#counts[result.outcome] += 1;
    this.#report(result);
    if (this.#pending === 0) wake(this.#watchers);
  }

  #report(result: UpdateResult): void {
    const { warnings } = this.client;
    try {
      if (this.#options.onResult) this.#options.onResult(result);
      else if (result.problem) warnings.warn("lost", `an update was not learned: ${result.problem}`);
    } catch {
      warnings.warn("onResult", "the callback for results of updates failed");
    }
  }
}
