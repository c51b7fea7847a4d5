import { fields, text, type Raw } from "./answers.js";
import type { CtxmemError } from "./errors.js";
import { place, type Place } from "./place.js";
import type { InjectReason, InjectResponse } from "./types.js";

/**
 * What an inject says about the agent's access to a user's memory:
 * - `granted`: there is access, whether or not anything is stored.
 * - `must_ask`: the user has not been asked yet; show them the page at `consentUrl`.
 * - `denied`: the user refused or ended it, or it has expired. Don't ask again.
 * - `no_scopes`: the grant and the agent's key have no scope in common.
 * - `unknown`: the service did not say; see `fallback`.
 */
export type Access = "granted" | "must_ask" | "denied" | "no_scopes" | "unknown";

/** What a system prompt is made of. */
export interface InjectedFrom {
  basePrompt: string;
  answer?: Raw<InjectResponse>;
  fallback?: CtxmemError;
}

/** A system prompt, and where it comes from. It doesn't show its texts when it is logged. */
export class Injected {
  readonly #from: InjectedFrom;
  readonly #answer: Raw<InjectResponse>;

  constructor(from: InjectedFrom | Injected) {
    this.#from = from instanceof Injected ? from.#from : from;
    this.#answer = this.#from.answer ?? {};
  }

  /** Why the prompt is the agent's own, without an answer of the service; absent if there was one. */
  get fallback(): CtxmemError | undefined {
    return this.#from.fallback;
  }

  /** The system prompt to use. */
  get prompt(): string {
    return text(this.#answer.injectedPrompt) ?? this.#from.basePrompt;
  }

  /** Whether stored context was merged into the prompt. */
  get enriched(): boolean {
    return this.reason === undefined && !this.seeded && this.prompt !== this.#from.basePrompt;
  }

  /** Whether demo facts were merged. */
  get seeded(): boolean {
    return this.#answer.seeded === true || this.reason === "seeded_demo";
  }

  /** Why nothing stored was merged, where the service says so. */
  get reason(): InjectReason | undefined {
    return text(this.#answer.reason);
  }

  /** The reason, written for people. */
  get notice(): string | undefined {
    return text(this.#answer.notice);
  }

  /** The page where the user can allow this agent, if they have to be asked first. */
  get consentUrl(): string | undefined {
    return text(this.#answer.consent_url);
  }

  /** Whether the agent has access to this user's memory. */
  get access(): Access {
    if (this.fallback) return "unknown";
    if (this.reason === "no_grant") return this.consentUrl ? "must_ask" : "denied";
    if (this.reason === "no_scopes") return "no_scopes";
    return [undefined, "empty", "empty_capsule", "seeded_demo"].includes(this.reason) ? "granted" : "unknown";
  }

  /**
   * Facts that bear on the user's message and that the prompt has no room for: a text that says that it
   * is data. Put it beside the user's message, never into the system prompt.
   */
  get relevant(): string | undefined {
    const relevant = text(this.#answer.relevant);
    return relevant?.trim() ? relevant : undefined;
  }

  /** Whether the service recommends that the model provider caches the prompt, and for how long. */
  get cacheHint(): { recommended: boolean; retention: string | undefined } {
    const hint = fields(this.#answer.cacheHint);
    // `openaiParam` is its older name.
    const param = fields(hint.providerParam ?? hint.openaiParam).prompt_cache_retention;
    return { recommended: hint.recommended === true, retention: text(param ?? hint.retention) };
  }

  /**
   * The prompt's parts: the agent's own prompt, and what it may know about the user, if anything was merged.
   * In this order, caches of model providers share the agent's own prompt between all users.
   */
  get parts(): { base: string; context?: string } {
    if (!this.enriched) return { base: this.seeded ? this.#from.basePrompt : this.prompt };
    const end = `\n\n${this.#from.basePrompt}`;
    const before = this.prompt.endsWith(end) ? this.prompt.slice(0, -end.length) : "";
    return before ? { base: this.#from.basePrompt, context: before } : { base: this.prompt };
  }

  /**
   * The body of a model call with the system prompt in it, in the form of this endpoint: the agent's own
   * prompt first, what is known of the user after it, each with a breakpoint of its own where the provider
   * has them. What bears on the user's message goes beside the last one. The body that is passed in and the
   * messages in it stay as they are.
   */
  place<Body extends object>(where: Place, body: Body, options?: { ttl?: "5m" | "1h" }): Body {
    return place(where, body, this, options?.ttl ?? "5m");
  }
}
