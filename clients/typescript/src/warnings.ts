/** What has been warned of at most this long ago is only counted. */
const QUIET_MS = 60_000;

/** Says what goes wrong: at once, and then at most every minute for each kind of problem. */
export class Warnings {
  readonly #seen = new Map<string, { at: number; untold: number }>();

  constructor(private readonly write: (text: string) => void) {}

  warn(kind: string, text: string): void {
    const now = performance.now();
    const seen = this.#seen.get(kind);
    if (seen && now - seen.at < QUIET_MS) {
      seen.untold += 1;
      return;
    }
    this.#seen.set(kind, { at: now, untold: 0 });
    try {
      this.write(`ctxmem: ${text}${seen?.untold ? ` (and ${seen.untold} more since the last warning)` : ""}`);
    } catch {
      // A logger that fails must not fail the agent.
    }
  }
}
