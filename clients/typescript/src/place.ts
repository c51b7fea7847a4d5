import { fields } from "./answers.js";
import type { Injected } from "./injected.js";

/** An endpoint of a model provider, and the form of its bodies. Name one only for the provider's own. */
export type Place = "openai-chat" | "openai-responses" | "anthropic";

type Json = Record<string, unknown>;
type Ttl = "5m" | "1h";

/**
 * What OpenAI's models take, as of October 2026: https://developers.openai.com/api/docs/guides/prompt-caching
 * Others reject the fields with a 400, and so do small models of the same families.
 */
const OPENAI = {
  /** From 5.6 on, breakpoints and `prompt_cache_options`, with this one lifetime. */
  firstWithBreakpoints: 5.06,
  options: { ttl: "30m" },
  /** Models "that support extended retention". */
  extendedRetention:
    "gpt-5.5 gpt-5.5-pro gpt-5.4 gpt-5.2 gpt-5.1-codex-max gpt-5.1 gpt-5.1-codex gpt-5.1-codex-mini gpt-5.1-chat-latest gpt-5 gpt-5-codex gpt-4.1".split(
      " ",
    ),
  /** Variants that are not text models of OpenAI's. */
  otherKinds: /-(?:audio|embedding|image|oss|realtime|search|transcribe|tts)\b/,
};

const hasWords = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** The name of a model without the date of its snapshot. */
const undated = (model: string): string => model.replace(/-\d{4}-\d\d-\d\d$/, "");

/** Whether this is a model of a family with breakpoints: `gpt-6`, `gpt-5.6-sol`, `gpt-6.1-terra-2026-11-02`. */
function takesBreakpoints(model: string): boolean {
  const name = undated(model);
  const [, major, minor] = /^gpt-([1-9])(?:\.([1-9]\d?))?(?:-[a-z]+)*$/.exec(name) ?? [];
  if (!major || OPENAI.otherKinds.test(name)) return false;
  return Number(major) + Number(minor ?? 0) / 100 >= OPENAI.firstWithBreakpoints;
}

/** Writes a system prompt into a copy of a body. */
export function place<Body extends object>(where: Place, body: Body, injected: Injected, ttl: Ttl): Body {
  const { base, context } = injected.parts;
  const texts = [base, context].filter(hasWords);
  const copy: Json = { ...(body as Json) };
  if (where === "anthropic") placeInAnthropic(copy, texts, ttl);
  else placeInOpenAi(copy, texts, where === "openai-chat", injected.cacheHint);
  if (injected.relevant !== undefined) putBeside(copy, where, injected.relevant);
  return copy as Body;
}

function placeInOpenAi(body: Json, texts: string[], isChat: boolean, hint: Injected["cacheHint"]): void {
  const model = typeof body.model === "string" ? body.model : "";
  const hasLifetime = "prompt_cache_retention" in body || "prompt_cache_options" in body;
  const breaks = takesBreakpoints(model);
  const isExplicit = fields(body.prompt_cache_options).mode === "explicit";
  const marks = breaks && !isExplicit && !("prompt_cache_retention" in body);
  if (!hasLifetime && breaks) {
    body.prompt_cache_options = OPENAI.options;
  } else if (!hasLifetime && hint.recommended && hint.retention === "24h" && OPENAI.extendedRetention.includes(undated(model))) {
    body.prompt_cache_retention = "24h";
  }
  if (texts.length === 0) return;
  // Messages would be in a continued conversation again for each turn, and `instructions` take no breakpoint.
  const continues = body.previous_response_id != null || body.conversation != null;
  if (!isChat && body.instructions == null && (continues || !breaks)) {
    body.instructions = texts.join("\n\n");
    return;
  }
  const [role, type] = isChat ? ["system", "text"] : ["developer", "input_text"];
  const content = (text: string) => (marks ? [{ type, text, prompt_cache_breakpoint: { mode: "explicit" } }] : text);
  const messages = texts.map((text) => ({ role, content: content(text) }));
  const field = isChat ? "messages" : "input";
  const own = body[field] ?? [];
  if (typeof own === "string") body[field] = [...messages, { role: "user", content: own }];
  else if (Array.isArray(own)) body[field] = [...messages, ...own];
}

/**
 * Anthropic takes four breakpoints, and those for an hour before those for five minutes, in the order tools,
 * system, messages: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
function placeInAnthropic(body: Json, texts: string[], wanted: Ttl): void {
  const own = typeof body.system === "string" ? [{ type: "text", text: body.system }] : (body.system ?? []);
  if (!Array.isArray(own)) return;
  const before = lifetimes(body.tools);
  const after = [own, body.messages, { cache_control: body.cache_control }].flatMap(lifetimes);
  const needsHour = after.includes("1h");
  const mayBeHour = !before.includes("5m");
  const ttl: Ttl = mayBeHour && (needsHour || wanted === "1h") ? "1h" : "5m";
  // The automatic breakpoint would be on the system part itself where there are no messages.
  const isAutomatic = body.cache_control != null && !(Array.isArray(body.messages) && body.messages.length > 0);
  const free = isAutomatic || (needsHour && !mayBeHour) ? 0 : 4 - before.length - after.length;
  const cache_control = { type: "ephemeral", ...(ttl === "1h" && { ttl }) };
  const isMarked = (index: number) => index >= texts.length - free;
  const blocks = texts.map((text, index) => ({ type: "text", text, ...(isMarked(index) && { cache_control }) }));
  if (blocks.length > 0) body.system = [...blocks, ...own];
}

/** The lifetimes of all breakpoints in a value, however deep. */
function lifetimes(value: unknown): Ttl[] {
  if (Array.isArray(value)) return value.flatMap(lifetimes);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, own]) => {
    if (name !== "cache_control") return lifetimes(own);
    return isObject(own) ? [own.ttl === "1h" ? "1h" : "5m"] : [];
  });
}

/** Puts a text beside the last thing that the user says, in copies of what holds it. */
function putBeside(body: Json, where: Place, relevant: string): void {
  const field = where === "openai-responses" ? "input" : "messages";
  const type = where === "openai-responses" ? "input_text" : "text";
  const isText = (block: unknown) => isObject(block) && block.type === type && hasWords(block.text);
  const says = (content: unknown) => hasWords(content) || (Array.isArray(content) && content.some(isText));
  const messages = body[field];
  if (hasWords(messages)) body[field] = `${relevant}\n\n${messages}`;
  if (!Array.isArray(messages)) return;
  const isUsers = (message: unknown) =>
    isObject(message) && message.role === "user" && (message.type ?? "message") === "message" && says(message.content);
  const last = messages.findLastIndex(isUsers);
  if (last < 0) return;
  const { content } = messages[last];
  let placed: unknown = `${relevant}\n\n${content}`;
  if (Array.isArray(content)) {
    // After what is cached, which it would change, and after results of tools, which Claude wants first.
    const isFixed = (block: Json) => block.cache_control || block.prompt_cache_breakpoint || block.type === "tool_result";
    const start = content.findLastIndex((block) => isObject(block) && isFixed(block));
    const question = content.findIndex((block, index) => index > start && isText(block));
    placed = content.toSpliced(question < 0 ? content.length : question, 0, { type, text: relevant });
  }
  body[field] = messages.with(last, { ...messages[last], content: placed });
}
