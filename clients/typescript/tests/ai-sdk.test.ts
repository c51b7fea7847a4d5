// The adapter, in the Vercel AI SDK itself with its mock of a model.
import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, simulateReadableStream, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

import { remember } from "../src/ai-sdk.js";
import { Turns } from "../src/index.js";
import { BASE, golden, json, plain, serviceOf, type Handler } from "./support.js";

const NOTES = "System:\n- location: Lisbon";
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finish = (unified: "stop" | "tool-calls") => ({ unified, raw: unified });
const says = (text: string) => ({ content: [{ type: "text" as const, text }], finishReason: finish("stop"), usage, warnings: [] });
const enriching: Handler = (request, count) =>
  request.path.endsWith("/inject")
    ? json({ injectedPrompt: `${NOTES}\n\n${request.body.basePrompt}`, relevant: "Notes", cacheHint: golden("inject/enriched.json").cacheHint })
    : plain(request, count);

function remembering(handler: Handler, mock: ConstructorParameters<typeof MockLanguageModelV3>[0]) {
  const service = serviceOf(handler);
  const turns = new Turns(service.client);
  const model = new MockLanguageModelV3(mock);
  return { ...service, turns, mock: model, model: wrapLanguageModel({ model, middleware: remember(turns, "ada") }) };
}
const learned = (seen: { path: string; body: Record<string, any> }[]) =>
  seen.filter(({ path }) => path.endsWith("/update")).map(({ body }) => [body.userMessage, body.agentResponse]);

test("a model that remembers: the prompt, what bears on the message, and the update", async () => {
  const { model, mock, turns, seen } = remembering(enriching, { doGenerate: says("By tram.") });
  const { text } = await generateText({ model, system: BASE, prompt: "How do I get to work?" });
  assert.equal(text, "By tram.");
  const [system, user] = mock.doGenerateCalls[0].prompt;
  assert.equal(system.content, `${BASE}\n\n${NOTES}`);
  assert.deepEqual(user.content, [{ type: "text", text: "Notes" }, { type: "text", text: "How do I get to work?" }]);
  assert.equal((await turns.close(1000)).sent, 1);
  assert.deepEqual(learned(seen), [["How do I get to work?", "By tram."]]);
  assert.equal(seen[0].body.message, "How do I get to work?");
});

test("Anthropic's models get the parts as blocks, each with a breakpoint", async () => {
  const { model, mock } = remembering(enriching, { provider: "anthropic.messages", doGenerate: says("By tram.") });
  await generateText({ model, system: BASE, prompt: "How?" });
  const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
  assert.deepEqual(mock.doGenerateCalls[0].prompt.slice(0, 2), [BASE, NOTES].map((content) => ({ role: "system", content, providerOptions })));
});

test("a streamed answer is learned from when it has ended", async () => {
  const chunks = [
    { type: "stream-start" as const, warnings: [] },
    { type: "text-start" as const, id: "1" },
    { type: "text-delta" as const, id: "1", delta: "By " },
    { type: "text-delta" as const, id: "1", delta: "tram." },
    { type: "text-end" as const, id: "1" },
    { type: "finish" as const, finishReason: finish("stop"), usage },
  ];
  const { model, turns, seen } = remembering(enriching, { doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  const { textStream } = streamText({ model, system: BASE, prompt: "How?" });
  let text = "";
  for await (const piece of textStream) text += piece;
  assert.equal(text, "By tram.");
  await turns.close(1000);
  assert.deepEqual(learned(seen), [["How?", "By tram."]]);
});

test("a turn with calls of tools is learned from once, by its last answer", async () => {
  let step = 0;
  const call = { type: "tool-call" as const, toolCallId: "c", toolName: "tram", input: "{}" };
  const { model, mock, turns, seen } = remembering(enriching, {
    doGenerate: async () => (step++ === 0 ? { ...says("Let me look."), content: [call], finishReason: finish("tool-calls") } : says("In 5 minutes.")),
  });
  const tram = tool({ inputSchema: z.object({}), execute: async () => "5 minutes" });
  await generateText({ model, system: BASE, prompt: "When?", tools: { tram }, stopWhen: stepCountIs(3) });
  await turns.close(1000);
  assert.deepEqual(learned(seen), [["When?", "In 5 minutes."]]);
  const systems = mock.doGenerateCalls.map(({ prompt }) => prompt.filter(({ role }) => role === "system"));
  assert.equal(systems.length, 2);
  assert.deepEqual(systems[0], systems[1]);
});

test("an outage leaves the model its own prompt", async () => {
  const { model, mock, turns } = remembering(() => Promise.reject(new TypeError("fetch failed")), { doGenerate: says("Hello.") });
  await generateText({ model, system: BASE, prompt: "Hi." });
  assert.deepEqual(mock.doGenerateCalls[0].prompt.map(({ content }) => content)[0], BASE);
  assert.equal(mock.doGenerateCalls[0].prompt.length, 2);
  assert.equal((await turns.close(0)).dropped, 1);
});

test("a model call that fails is not learned from", async () => {
  const { model, turns } = remembering(enriching, { doGenerate: async () => { throw new Error("the model is down"); } });
  await assert.rejects(generateText({ model, prompt: "Hi.", maxRetries: 0 }));
  assert.equal((await turns.close(1000)).accepted, 0);
});

test("whoever makes the agent hears of the turn, to show the page for consent", async () => {
  const { client } = serviceOf(() => json(golden("inject/no_grant_with_consent_url.json")));
  const turns = new Turns(client);
  const pages: (string | undefined)[] = [];
  const middleware = remember(turns, "ada", (turn) => pages.push(turn.consentUrl));
  const model = wrapLanguageModel({ model: new MockLanguageModelV3({ doGenerate: says("Hello.") }), middleware });
  await generateText({ model, system: BASE, prompt: "Hi." });
  assert.deepEqual(pages, [golden("inject/no_grant_with_consent_url.json").consent_url]);
  assert.equal((await turns.close(1000)).accepted, 0);
});
