import assert from "node:assert/strict";
import { test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { CtxmemError, Injected } from "../src/index.js";
import { BASE, golden } from "./support.js";

const NOTES = "System:\n- location: Lisbon";
const hint = golden("inject/enriched.json").cacheHint;
const enriched = new Injected({ basePrompt: BASE, answer: { injectedPrompt: `${NOTES}\n\n${BASE}`, cacheHint: hint } });
const withRelevant = (relevant: string) =>
  new Injected({ basePrompt: BASE, answer: { injectedPrompt: `${NOTES}\n\n${BASE}`, cacheHint: hint, relevant } });
const withoutNotes = new Injected({ basePrompt: BASE, answer: { ...golden("inject/empty.json") } });
const outage = new Injected({ basePrompt: BASE, fallback: new CtxmemError("timeout", "no answer in time", { retryable: true }) });
const seeded = new Injected({ basePrompt: "You are a helpful assistant.", answer: golden("inject/seeded_demo.json") });

const question = { role: "user", content: "How do I deploy this?" } as const;
const block = (text: string, ttl?: string) => ({ type: "text", text, cache_control: ttl ? { type: "ephemeral", ttl } : { type: "ephemeral" } });
const bare = (text: string) => ({ type: "text", text });
const marked = (type: string, text: string) => [{ type, text, prompt_cache_breakpoint: { mode: "explicit" } }];

test("at Anthropic the base prompt and the notes have a breakpoint each", () => {
  const body = { model: "claude-opus-5", max_tokens: 1024, messages: [question] };
  const before = structuredClone(body);
  assert.deepEqual(enriched.place("anthropic", body), { ...body, system: [block(BASE), block(NOTES)] });
  assert.deepEqual(enriched.place("anthropic", body, { ttl: "1h" }), { ...body, system: [block(BASE, "1h"), block(NOTES, "1h")] });
  assert.deepEqual(body, before);
});

test("the base prompt has its breakpoint without notes and in an outage, too", () => {
  for (const system of [withoutNotes, outage, seeded]) {
    assert.deepEqual(system.place("anthropic", { messages: [question] }), { messages: [question], system: [block(BASE)] });
    const options = { prompt_cache_options: { ttl: "30m" } };
    assert.deepEqual(system.place("openai-chat", { model: "gpt-5.6", messages: [question] }), {
      model: "gpt-5.6",
      messages: [{ role: "system", content: marked("text", BASE) }, question],
      ...options,
    });
    assert.deepEqual(system.place("openai-responses", { model: "gpt-5.6", input: "Hi." }), {
      model: "gpt-5.6",
      input: [{ role: "developer", content: marked("input_text", BASE) }, { role: "user", content: "Hi." }],
      ...options,
    });
  }
});

test("an empty base prompt is no block", () => {
  const empty = new Injected({ basePrompt: " " });
  assert.deepEqual(empty.place("anthropic", { messages: [question] }), { messages: [question] });
  assert.deepEqual(empty.place("openai-chat", { model: "gpt-4.1", messages: [question] }), { model: "gpt-4.1", messages: [question] });
});

test("Anthropic's rules on number and lifetimes are kept", () => {
  const tool = (ttl?: string) => ({ name: "t", cache_control: block("", ttl).cache_control });
  const said = (...content: object[]) => [{ role: "user", content }];
  const systems: [object, object[] | string | undefined][] = [
    // What is there stays, after the parts.
    [{ system: "Mine.", messages: [question] }, [block(BASE), block(NOTES), bare("Mine.")]],
    [{ system: [block("Mine.")], messages: [question] }, [block(BASE), block(NOTES), block("Mine.")]],
    // Four slots: the last parts have what is left.
    [{ tools: [tool(), tool()], messages: said(block("a")) }, [bare(BASE), block(NOTES)]],
    [{ tools: [tool(), tool()], messages: said(block("a"), block("b")) }, [bare(BASE), bare(NOTES)]],
    // Automatic caching takes a slot, and is on the system part where there are no messages.
    [{ cache_control: { type: "ephemeral" }, tools: [tool()], messages: said(block("a")) }, [bare(BASE), block(NOTES)]],
    [{ cache_control: { type: "ephemeral" }, messages: [] }, [bare(BASE), bare(NOTES)]],
    // An hour comes before five minutes.
    [{ messages: said(block("a", "1h")) }, [block(BASE, "1h"), block(NOTES, "1h")]],
    [{ tools: [tool()], messages: said(block("a", "1h")) }, [bare(BASE), bare(NOTES)]],
  ];
  for (const [body, system] of systems) {
    assert.deepEqual((enriched.place("anthropic", body) as { system: object[] }).system, system, JSON.stringify(body));
  }
  const late = enriched.place("anthropic", { tools: [tool()], messages: [question] }, { ttl: "1h" });
  assert.deepEqual((late as object as { system: object[] }).system, [block(BASE), block(NOTES)]);
});

test("OpenAI's models get what they take", () => {
  const body = (model: string) => ({ model, messages: [question] });
  const rest = (model: string, system = enriched) => {
    const { model: _, messages, ...fields } = system.place("openai-chat", body(model)) as any;
    return { isMarked: Array.isArray(messages[0].content), ...fields };
  };
  for (const model of ["gpt-5.6", "gpt-5.6-sol", "gpt-5.10", "gpt-6", "gpt-6.1-terra-2026-11-02"]) {
    assert.deepEqual(rest(model), { isMarked: true, prompt_cache_options: { ttl: "30m" } }, model);
  }
  for (const model of ["gpt-4.1", "gpt-5", "gpt-5.5", "gpt-5.1-codex-mini", "gpt-4.1-2025-04-14"]) {
    assert.deepEqual(rest(model), { isMarked: false, prompt_cache_retention: "24h" }, model);
    assert.deepEqual(rest(model, withoutNotes), { isMarked: false }, model);
  }
  for (const model of ["gpt-5-mini", "gpt-4.1-nano", "gpt-4o", "o3", "gpt-oss-20b", "gpt-50", "ft:gpt-5.6:x", "openai/gpt-5.6", "gpt-5.6-audio", "llama"]) {
    assert.deepEqual(rest(model), { isMarked: false }, model);
  }
});

test("settings of the caller's are kept", () => {
  const messages = [question];
  const explicit = { model: "gpt-5.6", messages, prompt_cache_options: { mode: "explicit" } };
  const retention = { model: "gpt-5.4", messages, prompt_cache_retention: "in_memory" };
  for (const body of [explicit, retention]) {
    const system = [{ role: "system", content: BASE }, { role: "system", content: NOTES }];
    assert.deepEqual(enriched.place("openai-chat", body), { ...body, messages: [...system, question] });
  }
});

test("a Responses request gets messages where they can be marked, and otherwise instructions", () => {
  const both = `${BASE}\n\n${NOTES}`;
  const place = (body: object) => enriched.place("openai-responses", body);
  assert.deepEqual(place({ model: "gpt-4o", input: "Hi." }), { model: "gpt-4o", input: "Hi.", instructions: both });
  const continued = { model: "gpt-5.6", input: "Hi.", previous_response_id: "resp_1" };
  assert.deepEqual(place(continued), { ...continued, instructions: both, prompt_cache_options: { ttl: "30m" } });
  const own = { model: "gpt-4o", input: [question], instructions: "Mine." };
  const developer = [BASE, NOTES].map((content) => ({ role: "developer", content }));
  assert.deepEqual(place(own), { ...own, input: [...developer, question] });
});

test("what bears on the message goes beside the last one, in this body alone", () => {
  const system = withRelevant("Notes");
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] };
  const history = [question, { role: "assistant", content: "Like so." }];
  const cases: [any, any][] = [
    [[...history, { role: "user", content: "And?" }], [...history, { role: "user", content: "Notes\n\nAnd?" }]],
    // The last thing that they say is before the tool's result.
    [[...history, result], [{ role: "user", content: "Notes\n\nHow do I deploy this?" }, history[1], result]],
    [
      [{ role: "user", content: [{ type: "tool_result", content: "ok" }, bare("And?")] }],
      [{ role: "user", content: [{ type: "tool_result", content: "ok" }, bare("Notes"), bare("And?")] }],
    ],
    // Not before what is cached.
    [
      [{ role: "user", content: [block("A long document."), bare("And?")] }],
      [{ role: "user", content: [block("A long document."), bare("Notes"), bare("And?")] }],
    ],
    [[{ role: "user", content: [block("And?")] }], [{ role: "user", content: [block("And?"), bare("Notes")] }]],
    [[{ role: "assistant", content: "Hi." }], [{ role: "assistant", content: "Hi." }]],
  ];
  for (const [messages, expected] of cases) {
    const before = structuredClone(messages);
    assert.deepEqual((system.place("anthropic", { messages }) as any).messages, expected);
    assert.deepEqual(messages, before);
  }
  const responses = (input: unknown) => (system.place("openai-responses", { model: "gpt-4o", input }) as any).input;
  assert.equal(responses("And?"), "Notes\n\nAnd?");
  const text = (own: string) => ({ type: "input_text", text: own });
  assert.deepEqual(responses([{ role: "user", content: [text("And?")] }]), [{ role: "user", content: [text("Notes"), text("And?")] }]);
});

test("a prompt that can't be split stays whole", () => {
  const odd = new Injected({ basePrompt: BASE, answer: { injectedPrompt: `${BASE}\nThe user edits with Helix.` } });
  assert.deepEqual(odd.parts, { base: `${BASE}\nThe user edits with Helix.` });
});

test("the providers' own clients take the bodies, and send them as they are", async () => {
  const sent: any[] = [];
  const fetch = async (_: unknown, init?: { body?: unknown }) => {
    sent.push(JSON.parse(String(init!.body)));
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const openai = new OpenAI({ apiKey: "k", fetch });
  const anthropic = new Anthropic({ apiKey: "k", fetch });
  const system = withRelevant("Notes");
  await openai.chat.completions.create(system.place("openai-chat", { model: "gpt-5.6", messages: [question] }));
  await openai.responses.create(system.place("openai-responses", { model: "gpt-5.6", input: "And?" }));
  await anthropic.messages.create(system.place("anthropic", { model: "claude-opus-5", max_tokens: 9, messages: [question] }));
  const [chat, responses, messages] = sent;
  assert.deepEqual(chat.messages.map(({ content }: any) => content), [marked("text", BASE), marked("text", NOTES), "Notes\n\nHow do I deploy this?"]);
  assert.deepEqual(responses.input.map(({ content }: any) => content), [marked("input_text", BASE), marked("input_text", NOTES), "Notes\n\nAnd?"]);
  assert.deepEqual(responses.prompt_cache_options, { ttl: "30m" });
  assert.deepEqual(messages.system, [block(BASE), block(NOTES)]);
});
