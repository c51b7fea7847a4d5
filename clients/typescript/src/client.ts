import { fields, readContext, readHealth, readUpdate, text } from "./answers.js";
import { apiError, CtxmemError, invalid } from "./errors.js";
import { Injected } from "./injected.js";
import { backoff, retryAfter, sleep } from "./retry.js";
import { byteLength, cut, fit, MAX_QUERY_BYTES } from "./text.js";
import type { Context, FactRecord, Grant, GrantRequest, Health, InjectRequest, UpdateRequest, UpdateResponse } from "./types.js";
import { VERSION } from "./version.js";
import { Warnings } from "./warnings.js";

const DEFAULTS = {
  /** Whether prompts may have the demo facts of a server on which nothing is stored yet. Default: false. */
  demo: false,
  /** How long a turn waits for its prompt. Default: 800. */
  injectTimeoutMs: 800,
  /** Default: 60,000, because a model may read the exchange. */
  updateTimeoutMs: 60_000,
  /** Of all other calls. Default: 10,000. */
  timeoutMs: 10_000,
  /** The most retries of a call. Default: 2. */
  maxRetries: 2,
  /** Sends the requests. Default: the global `fetch`. */
  fetch: (url: string, init: RequestInit): Promise<Response> => globalThis.fetch(url, init),
  /** Is told of wrong keys, outages and losses, at most once a minute each. Default: `console.warn`. */
  warn: (text: string): void => console.warn(text),
};

/** The settings of a client. Times are in milliseconds and cover a whole call, with its retries. */
export interface ClientOptions extends Partial<typeof DEFAULTS> {
  /** The server's address, such as `https://memory.example.com`. */
  baseUrl: string;
  /** The agent's key. */
  apiKey: string;
}

/** Settings, and the defaults of those that are absent or undefined. */
export const withDefaults = <Settings extends object>(defaults: Settings, own: Partial<Settings>): Settings =>
  Object.assign({ ...defaults }, Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)));

/** What else an update can say. */
export interface UpdateOptions {
  /** When the exchange was, if not just now: "tomorrow" is the day after it. */
  at?: Date | undefined;
  /** The service learns once from all updates with the same key. Default: a new one. */
  idempotencyKey?: string;
  /** The most retries. Default: those of the client. */
  maxRetries?: number | undefined;
  /** Gives up the request that is under way. */
  signal?: AbortSignal | undefined;
}

/** So many outages in a row stop the calls of turns, for so long. */
const OUTAGES_TO_PAUSE = 5;
const PAUSE_MS = 5000;

/** Ten retries, and one more for every ten calls that succeed: so they can't make an outage worse. */
const MAX_BUDGET = 100;
const RETRY_COST = 10;

interface Call extends Omit<UpdateOptions, "at"> {
  method?: "GET" | "POST" | "DELETE";
  body?: object;
  timeoutMs?: number;
  /** A status of a failure whose body is an answer all the same. */
  alsoStatus?: number;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
  requestId: string | undefined;
}

/** The calls of the service. Each throws a {@link CtxmemError} if it fails. */
export class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #options: typeof DEFAULTS;
  #budget = MAX_BUDGET;
  #outages = 0;
  #pausedUntil = 0;
  #lastOutage: CtxmemError | undefined;
  /** Where problems are told. */
  readonly warnings: Warnings;

  constructor({ baseUrl, apiKey, ...options }: ClientOptions) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
      throw invalid("baseUrl", "expected an address such as https://memory.example.com, without user name or query");
    }
    if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw invalid("apiKey", "it is empty, or has something other than visible ASCII characters");
    }
    this.#url = url.href.replace(/\/+$/, "");
    const agent = `ctxmem-typescript/${VERSION}`;
    this.#headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "user-agent": agent };
    this.#options = withDefaults(DEFAULTS, options);
    this.warnings = new Warnings(this.#options.warn);
  }

  /** A client by `CTXMEM_BASE_URL` and `CTXMEM_API_KEY`, from the environment or another record of them. */
  static fromEnv(options: Partial<ClientOptions> = {}, env?: Record<string, string | undefined>): Client {
    const own = env ?? (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
    const { baseUrl = own.CTXMEM_BASE_URL, apiKey = own.CTXMEM_API_KEY } = options;
    if (!baseUrl) throw invalid("CTXMEM_BASE_URL", "the environment variable is not set");
    if (!apiKey) throw invalid("CTXMEM_API_KEY", "the environment variable is not set");
    return new Client({ ...options, baseUrl, apiKey });
  }

  /**
   * A system prompt: what the agent may know about the user, and the base prompt. With the user's current
   * message, `relevant` has what bears on it and had no room. No access is an answer, not an error.
   */
  async inject(userId: string, basePrompt: string, message = ""): Promise<Injected> {
    const body: InjectRequest = { userId: checkUser(userId), basePrompt };
    if (message.trim()) body.message = cut(message, MAX_QUERY_BYTES, byteLength);
    const answer = await this.#send("/api/context/inject", { body, timeoutMs: this.#options.injectTimeoutMs });
    const prompt = answer.body.injectedPrompt;
    if (typeof prompt !== "string") throw unreadable(answer, "injectedPrompt", "expected a string");
    // An agent must not lose its instructions.
    if (!prompt.includes(basePrompt)) throw unreadable(answer, "injectedPrompt", "the base prompt is not in it");
    const injected = new Injected({ basePrompt, answer: answer.body });
    return injected.seeded && !this.#options.demo ? new Injected({ basePrompt, answer: { reason: "empty" } }) : injected;
  }

  /**
   * {@link inject} that never fails: if the service is slow, down or refuses the call, the prompt is the
   * base prompt, and `fallback` says why. After five outages in a row nothing is sent for five seconds, so that
   * turns don't wait; after a 429, for as long as the service asks. No earlier answer is used again.
   */
  async injectOrBase(userId: string, basePrompt: string, message?: string): Promise<Injected> {
    const now = performance.now();
    const retryAfterMs = this.#pausedUntil - now;
    const cause = this.#lastOutage;
    if (cause && retryAfterMs > 0) {
      const fallback = new CtxmemError("paused", `no call is sent for a moment: ${cause.message}`, { retryAfterMs }, {}, cause);
      return new Injected({ basePrompt, fallback });
    }
    // When a pause is over, one turn tries. The others wait for what it finds.
    if (this.#pausedUntil > 0) this.#pausedUntil = now + PAUSE_MS;
    try {
      const injected = await this.inject(userId, basePrompt, message);
      this.#outages = this.#pausedUntil = 0;
      return injected;
    } catch (error) {
      const fallback = error instanceof CtxmemError ? error : invalid("call", "it can't be sent");
      this.#outages = fallback.isOutage ? this.#outages + 1 : 0;
      const pauseMs = fallback.retryAfterMs ?? (this.#outages >= OUTAGES_TO_PAUSE ? PAUSE_MS : 0);
      if (!fallback.isOutage) this.#pausedUntil = 0;
      else if (pauseMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pauseMs);
      this.#lastOutage = fallback;
      this.warnings.warn(`${fallback.kind} ${fallback.status}`, `a turn goes without memory: ${fallback.message}`);
      return new Injected({ basePrompt, fallback });
    }
  }

  /**
   * Learns from one exchange, which may take a minute. Retries carry the same `Idempotency-Key`. If the
   * exchange is too long for the service, the answer is cut first, then the message.
   */
  async update(userId: string, userMessage: string, agentResponse: string, options: UpdateOptions = {}): Promise<UpdateResponse> {
    const { at, idempotencyKey = crypto.randomUUID(), maxRetries, signal } = options;
    const body: UpdateRequest = { userId: checkUser(userId), ...fit(userMessage, agentResponse) };
    if (at) body.at = at.toISOString();
    const timeoutMs = this.#options.updateTimeoutMs;
    const answer = await this.#send("/api/context/update", { body, idempotencyKey, maxRetries, signal, timeoutMs });
    if (typeof answer.body.updated !== "boolean") throw unreadable(answer, "updated", "expected true or false");
    return readUpdate(answer.body);
  }

  /** Everything that is stored in the granted scopes. */
  async context(userId: string): Promise<Context> {
    const answer = await this.#send(userPath(userId));
    if (typeof answer.body.userId !== "string") throw unreadable(answer, "userId", "expected a string");
    return readContext(answer.body);
  }

  /**
   * Erases everything about a user for good, and ends every grant of theirs: the agent has no access
   * afterwards, until the user allows it again, on the page at `consentUrl` where the service names one.
   */
  async deleteContext(userId: string): Promise<{ consentUrl: string | undefined }> {
    const answer = await this.#send(userPath(userId), { method: "DELETE", idempotencyKey: crypto.randomUUID() });
    return { consentUrl: text(answer.body.consent_url) };
  }

  /** The facts in the granted scopes, one by one. Other deployments may lack this call. */
  async facts(userId: string): Promise<FactRecord[]> {
    return readFacts(await this.#send(`${userPath(userId)}/facts`));
  }

  /** The facts that bear on a query, at most `limit` (10). Other deployments may lack this call. */
  async searchFacts(userId: string, query: string, limit?: number): Promise<FactRecord[]> {
    return readFacts(await this.#send(`${userPath(userId)}/facts/search`, { body: { query, limit } }));
  }

  /** Deletes one fact for good, as it was when it was listed. */
  async deleteFact(userId: string, factId: string): Promise<void> {
    if (/^\.{0,2}$/.test(factId)) throw invalid("factId", "it can't be part of an address");
    const path = `${userPath(userId)}/facts/${encodeURIComponent(factId)}`;
    await this.#send(path, { method: "DELETE", idempotencyKey: crypto.randomUUID() });
  }

  /** Asks for access to these scopes. A user's own decision can't be widened by it. */
  async createGrant(body: GrantRequest): Promise<Grant> {
    const answer = await this.#send("/api/grants", { body });
    const grant = fields(answer.body.grant);
    if (!Array.isArray(grant.scopes)) throw unreadable(answer, "grant.scopes", "expected a list");
    return { ...(grant as unknown as Grant), expires_at: (grant.expires_at as string | undefined) ?? null };
  }

  /** Whether the service is healthy, and what it says about what it depends on. */
  async health(): Promise<Partial<Health> & { healthy: boolean }> {
    return readHealth((await this.#send("/api/health", { maxRetries: 0, alsoStatus: 503 })).body);
  }

  /** Throws if the service can't be reached or doesn't take the key. Call it when your program starts. */
  async checkKey(): Promise<void> {
    try {
      // No call is about the key alone. For want of a grant, this one is refused, but after the key was taken.
      await this.#send(userPath(crypto.randomUUID()));
    } catch (error) {
      const { code } = error as CtxmemError;
      // A bare 403 or 404 may be a proxy's, and a wrong address is not found either.
      if (code !== "FORBIDDEN" && !(code === "NOT_FOUND" && (await this.health()))) throw error;
    }
  }

  async #send(path: string, call: Call = {}): Promise<Answer> {
    const deadline = performance.now() + (call.timeoutMs ?? this.#options.timeoutMs);
    const maxRetries = call.maxRetries ?? this.#options.maxRetries;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#attempt(path, call, deadline - performance.now());
        this.#budget = Math.min(this.#budget + 1, MAX_BUDGET);
        return answer;
      } catch (caught) {
        const error = caught as CtxmemError;
        if (!error.retryable || attempt > maxRetries || call.signal?.aborted) throw error;
        // Others have been told the same instant, so they should not all come back at once.
        const wait = error.retryAfterMs === undefined ? backoff(attempt, 100, 2000) : error.retryAfterMs + Math.random() * 100;
        if (performance.now() + wait >= deadline || this.#budget < RETRY_COST) throw error;
        this.#budget -= RETRY_COST;
        await sleep(wait);
      }
    }
  }

  /** One request. The deadline holds whatever `fetch` does. */
  async #attempt(path: string, call: Call, leftMs: number): Promise<Answer> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    // Longer timers would end at once.
    const timer = setTimeout(abort, Math.min(leftMs, 2 ** 31 - 1));
    call.signal?.addEventListener("abort", abort);
    const ended = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(new CtxmemError("timeout", "no answer in time", { retryable: true })));
    });
    if (call.signal?.aborted) abort();
    try {
      return await Promise.race([this.#fetch(path, call, controller.signal), ended]);
    } catch (error) {
      throw error instanceof CtxmemError ? error : unreachable(error);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", abort);
    }
  }

  async #fetch(path: string, call: Call, signal: AbortSignal): Promise<Answer> {
    const headers = call.idempotencyKey ? { ...this.#headers, "idempotency-key": call.idempotencyKey } : this.#headers;
    // A redirect would take the key to another address.
    const init: RequestInit = { method: call.method ?? (call.body ? "POST" : "GET"), headers, redirect: "manual", signal };
    if (call.body) init.body = JSON.stringify(call.body);
    const response = await this.#options.fetch(this.#url + path, init);
    const { status, headers: told } = response;
    const [, requestId] = /^([\w.:-]{1,80})$/.exec(told.get("x-request-id") ?? "") ?? [];
    const json: unknown = await response.json().catch(() => undefined);
    const answer = { status, body: fields(json), requestId };
    const isAnswer = response.ok || status === call.alsoStatus;
    if (!isAnswer) throw apiError(status, answer.body, { requestId, retryAfterMs: retryAfter(status, told) });
    // What breaks off is not JSON.
    if (json === undefined) throw unreadable(answer, "body", "it is not JSON, or it breaks off", true);
    return answer;
  }
}

function readFacts(answer: Answer): FactRecord[] {
  if (!Array.isArray(answer.body.facts)) throw unreadable(answer, "facts", "expected a list");
  return answer.body.facts;
}

function unreachable(error: unknown): CtxmemError {
  const code = fields(fields(error).cause).code ?? fields(error).code;
  const known = typeof code === "string" && /^[A-Z][A-Za-z_]{2,40}$/.test(code) ? ` (${code})` : "";
  return new CtxmemError("network", `the service can't be reached, or its answer broke off${known}`, { retryable: true });
}

function unreadable({ status, requestId }: Answer, field: string, problem: string, retryable = false): CtxmemError {
  const message = `the service answered ${status}, but not as expected: ${field}: ${problem}`;
  return new CtxmemError("unreadable", message, { status, field, requestId, retryable });
}

/** An id that a service accepts, and that is no step in a path. */
function checkUser(userId: string): string {
  if (!/^\.{0,2}$|\0|\p{Surrogate}/u.test(userId) && byteLength(userId) <= 256) return userId;
  throw invalid("userId", "expected 1 to 256 bytes of text without NUL, other than `.` and `..`");
}

const userPath = (userId: string): string => `/api/context/${encodeURIComponent(checkUser(userId))}`;
