// A service made of a function, and a client of it.
import { readFileSync } from "node:fs";

import { Client, type ClientOptions } from "../src/index.js";

export const ROOT = new URL("../../", import.meta.url);
export const BASE = "You are a helpful assistant.";
export const KEY = "ctxm_canary-key";

/** A request as the service sees it. */
export interface Seen {
  method: string;
  path: string;
  headers: Headers;
  body: Record<string, any>;
}

export type Handler = (seen: Seen, count: number) => Response | Promise<Response>;

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

/** What a service answers that has nothing to add and learns nothing. */
export const plain: Handler = ({ path, body }) =>
  json(path.endsWith("/inject") ? { injectedPrompt: body.basePrompt, reason: "empty" } : { updated: true, delta: {} });

/** A client whose requests a function answers, what it has sent, and what it has warned of. */
export function serviceOf(handler: Handler, options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const warnings: string[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const { pathname } = new URL(url);
    const request = { method: init.method!, path: pathname, headers: new Headers(init.headers), body: JSON.parse((init.body as string) ?? "{}") };
    seen.push(request);
    return handler(request, seen.length);
  };
  const warn = (text: string) => warnings.push(text);
  const client = new Client({ baseUrl: "https://memory.example.com", apiKey: KEY, fetch, warn, ...options });
  return { client, seen, warnings };
}

/** A golden file of the interface. */
export function golden(path: string): any {
  return JSON.parse(readFileSync(new URL(`../../ctxmem-types/tests/golden/${path}`, ROOT), "utf8"));
}

export const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something is so. */
export async function until(isSo: () => boolean, withinMs = 5000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error("it did not become so in time");
    await later(5);
  }
}
