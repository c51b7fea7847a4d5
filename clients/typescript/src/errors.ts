import { text } from "./answers.js";
import type { ErrorCode } from "./types.js";

/**
 * What went wrong:
 * - `api`: the service answered with an error status.
 * - `timeout`, `network`: no whole answer came, in time or at all.
 * - `unreadable`: the service answered with success, but not as expected.
 * - `paused`: nothing was sent, because the service has just failed several times; see `cause`.
 * - `invalid`: nothing was sent, because the call can't be made as it is.
 */
export type ErrorKind = "api" | "timeout" | "network" | "unreadable" | "paused" | "invalid";

/** What an error knows besides its text. */
export interface ErrorDetails {
  /** The HTTP status, if there was an answer. */
  status?: number | undefined;
  /** The service's error code, if it answered with one. */
  code?: ErrorCode | undefined;
  /** The field of the request or the answer that is wrong, where it is known. */
  field?: string | undefined;
  /** The id under which the service logged the request. */
  requestId?: string | undefined;
  /** How many milliseconds to wait before the next call, at most five minutes. */
  retryAfterMs?: number | undefined;
  /** Whether the same call may succeed later. */
  retryable?: boolean | undefined;
}

// The details are fields of the error.
export interface CtxmemError extends Readonly<ErrorDetails> {}

/**
 * Why a call failed. Its text and its fields hold no key, prompt, message, fact or user id, so it can be
 * logged.
 */
export class CtxmemError extends Error {
  override readonly name = "CtxmemError";
  readonly #unprinted: Record<string, string | undefined>;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    details: ErrorDetails = {},
    unprinted: Record<string, string | undefined> = {},
    cause?: CtxmemError,
  ) {
    super(details.requestId ? `${message} (request ${details.requestId})` : message, cause && { cause });
    Object.assign(this, details);
    this.#unprinted = unprinted;
  }

  /** The service's own words, for people. Some deployments quote the request in them, so they are not printed. */
  get serviceMessage(): string | undefined {
    return this.#unprinted.serviceMessage;
  }

  /** The page where the user can allow this agent, if the service has to ask them first. */
  get consentUrl(): string | undefined {
    return this.#unprinted.consentUrl;
  }

  /** Whether this passes by itself. Anything else has to be mended: the key, the call, or the consent. */
  get isOutage(): boolean {
    return this.retryable === true || this.kind === "paused" || this.kind === "unreadable";
  }
}

/** A call that can't be made. */
export function invalid(field: string, problem: string): CtxmemError {
  return new CtxmemError("invalid", `${field}: ${problem}`, { field });
}

const MEANINGS: Record<number, string> = {
  400: "the request is not valid",
  401: "the API key is missing or unknown",
  403: "the user has not granted this, or the key belongs to another agent",
  404: "there is nothing at this address or with this id",
  413: "the request is too large",
  429: "too many requests",
};
const PASSES = [408, 425, 429, 500, 502, 503, 504];

// The words of our server about a wrong field hold nothing of the request. Others may quote it, so only
// these words are printed.
const FIELDS =
  "body|userId|basePrompt|agentId|userMessage|agentResponse|scopes(?:\\[\\d{0,4}\\])?|expiresAt|parts|message|at|query|limit|Content-Type|Idempotency-Key";
const PROBLEMS =
  "a required field is missing|the field is there twice|it is larger than this server accepts|expected application/json" +
  "|expected (?:a string|an object|a list|true or false|a positive whole number), found (?:a string|a number|a boolean|null|an object|a list|something else)" +
  "|expected JSON, broken at line # column #|expected a time in the future|expected when the exchange was, not a time in the future" +
  "|expected a number from # to #|expected # to # (?:characters|visible ASCII characters(?:, once)?)" +
  "|expected # to # bytes of text without NUL, other than `\\.` and `\\.\\.`" +
  "|it was used with a different request; expected a new key for each request, and the same one only to send a request again";
const KNOWN = new RegExp(`^(${FIELDS}): (${PROBLEMS.replaceAll("#", "\\d{1,4}")})\\.?$`);

/** Reads an answer with an error status, whoever wrote it. */
export function apiError(status: number, body: Record<string, unknown>, details: ErrorDetails): CtxmemError {
  const [code, serviceMessage, consentUrl] = [text(body.code), text(body.error), text(body.consent_url)];
  const [, field, problem] = KNOWN.exec(serviceMessage ?? "") ?? [];
  const isPrintable = code !== undefined && /^[A-Z_]{1,40}$/.test(code);
  let message = `the service answered ${status}${isPrintable ? ` ${code}` : ""}`;
  if (status < 400) message += ": redirects are not followed; check the base URL";
  else if (MEANINGS[status]) message += `: ${MEANINGS[status]}`;
  else if (!code) message += ": there is no error code, so the answer may come from a proxy";
  if (field) message += `: ${field}: ${problem}`;
  if (details.retryAfterMs !== undefined) message += `; try again in ${Math.ceil(details.retryAfterMs / 1000)} s`;
  const own = { ...details, status, field, code: isPrintable ? code : undefined, retryable: PASSES.includes(status) };
  return new CtxmemError("api", message, own, { serviceMessage, consentUrl });
}
