import { Injected } from "./injected.js";
import { Updates } from "./updates.js";

/** What a model call returns: its text, or an object that has it, such as a result of the Vercel AI SDK. */
export type Answer = string | { readonly text: string };

/**
 * Whole turns of an agent: a system prompt before the model call, and an update in the background after it.
 * A turn never fails because of memory, and waits for it 800 ms at most. Make one for all users.
 */
export class Turns extends Updates {
  /** Runs a turn around your model call, and returns what that returns. If it throws, nothing is learned. */
  async run<A extends Answer>(userId: string, basePrompt: string, said: string, model: (turn: Turn) => A | Promise<A>): Promise<A> {
    const turn = await this.begin(userId, basePrompt, said);
    const answer = await model(turn);
    turn.finish(typeof answer === "string" ? answer : answer.text);
    return answer;
  }

  /** Begins a turn whose answer comes in pieces. Nothing is learned until you call {@link Turn.finish}. */
  async begin(userId: string, basePrompt: string, said: string): Promise<Turn> {
    const system = await this.client.injectOrBase(userId, basePrompt, said);
    return new Turn(system, said, (agentResponse) => this.send({ userId, userMessage: said, agentResponse }));
  }
}

/** One turn. It doesn't show its texts when it is logged. */
export class Turn extends Injected {
  readonly #said: string;
  readonly #learn: (answer: string) => boolean;
  #answer = "";
  #isFinished = false;

  /** Made by {@link Turns}. */
  constructor(system: Injected, said: string, learn: (answer: string) => boolean) {
    super(system);
    this.#said = said;
    this.#learn = learn;
  }

  /**
   * What the model gets as the user's message: what was said, after what bears on it. Keep what was said
   * itself in your history.
   */
  get userMessage(): string {
    return this.relevant === undefined ? this.#said : `${this.relevant}\n\n${this.#said}`;
  }

  /** Adds a piece of the answer. */
  push(piece: string): void {
    this.#answer += piece;
  }

  /**
   * Hands the turn over to be learned from, with this answer or the pieces. False if it was not taken: the
   * queue is full or closed, the turn was finished before, or there is no access, when all stays with you.
   */
  finish(answer = this.#answer): boolean {
    if (this.#isFinished) return false;
    this.#isFinished = true;
    if (this.access !== "granted" && this.access !== "unknown") return false;
    return this.#learn(answer);
  }
}
