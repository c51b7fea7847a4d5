import type { LanguageModelMiddleware } from "ai";

import type { Turn, Turns } from "./index.js";

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type Message = Params["prompt"][number];
type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type Part = Streamed["stream"] extends ReadableStream<infer Own> ? Own : never;

/** Keeps a system prompt in Anthropic's cache. Other providers don't read it. */
const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Middleware of the Vercel AI SDK: a model wrapped by it remembers this user.
 *
 * The model gets its own system prompt with what is known of the user after it, and what bears on the user's
 * last message beside that message. An answer is learned from, unless it calls tools: then the one after
 * them is. `onTurn` is told of the turn of each call, to show the page for the user's consent, for example.
 */
export function remember(turns: Turns, userId: string, onTurn?: (turn: Turn) => void): LanguageModelMiddleware {
  const begun = new WeakMap<Params, Turn>();
  const finish = (params: Params, answer: string, reason: string) => {
    if (reason !== "tool-calls" && reason !== "error") begun.get(params)?.finish(answer);
  };
  return {
    specificationVersion: "v3",
    async transformParams({ params, model }) {
      const base = params.prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
      const prompt = params.prompt.filter((message) => message.role !== "system");
      const last = prompt.findLastIndex((message) => message.role === "user");
      const content = (prompt[last] as (Message & { role: "user" }) | undefined)?.content ?? [];
      const said = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
      const turn = await turns.begin(userId, base.join("\n\n"), said);
      onTurn?.(turn);
      const texts = Object.values(turn.parts).filter((text) => text.trim());
      // Not every provider takes more than one system message.
      const blocks = /anthropic/i.test(model.provider) ? texts : [texts.join("\n\n")].filter(Boolean);
      const system = blocks.map((text): Message => ({ role: "system", content: text, providerOptions }));
      if (turn.relevant !== undefined && last >= 0) {
        prompt[last] = { ...prompt[last], role: "user", content: [{ type: "text", text: turn.relevant }, ...content] };
      }
      const enriched = { ...params, prompt: [...system, ...prompt] };
      begun.set(enriched, turn);
      return enriched;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const answer = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      finish(params, answer, result.finishReason.unified);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let answer = "";
      const learn = new TransformStream<Part, Part>({
        transform(part, controller) {
          if (part.type === "text-delta") answer += part.delta;
          if (part.type === "finish") finish(params, answer, part.finishReason.unified);
          controller.enqueue(part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(learn) };
    },
  };
}
