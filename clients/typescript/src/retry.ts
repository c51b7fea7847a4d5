/** The longest wait that a service may ask for. */
const MAX_WAIT_MS = 5 * 60_000;

/** A time span or an instant as headers write it, in milliseconds from `now`. */
function parseWait(text: string, now: number): number | undefined {
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    // Large numbers are instants since 1970, in seconds or, larger still, in milliseconds.
    if (number >= 1e11) return number - now;
    return number >= 1e9 ? number * 1000 - now : number * 1000;
  }
  const isDate = /^[A-Z][a-z]{2,8},? /.test(text) || /^\d{4}-\d\d-\d\dT/.test(text);
  const instant = isDate ? Date.parse(text) : NaN;
  return Number.isNaN(instant) ? undefined : instant - now;
}

/**
 * How long the headers of an answer ask to wait, in milliseconds: by `Retry-After`, and after a 429 by
 * `X-RateLimit-Reset`. Instants are compared with the service's own clock where it tells the time.
 */
export function retryAfter(status: number, headers: Headers, clock = Date.now()): number | undefined {
  const date = headers.get("date");
  const told = date ? Date.parse(date) : NaN;
  const now = Number.isNaN(told) ? clock : told;
  for (const name of status === 429 ? ["retry-after", "x-ratelimit-reset"] : ["retry-after"]) {
    const wait = parseWait(headers.get(name)?.trim() ?? "", now);
    if (wait !== undefined) return Math.min(Math.max(wait, 0), MAX_WAIT_MS);
  }
  return undefined;
}

/** A random part of a wait that doubles with each attempt. */
export const backoff = (attempts: number, initialMs: number, maxMs: number): number =>
  Math.random() * Math.min(initialMs * 2 ** (attempts - 1), maxMs);

/** Waits, until the time is up or whoever sleeps is woken. */
export function sleep(ms: number, sleepers = new Set<() => void>()): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      sleepers.delete(end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    sleepers.add(end);
  });
}

/** Ends the waits of these sleepers. */
export const wake = (sleepers: Set<() => void>): void => sleepers.forEach((end) => end());
