import type { Context, Delta, Fact, Health, UpdateResponse } from "./types.js";

/** An answer as it came: any field may be absent, or anything else. */
export type Raw<T> = { [Name in keyof T]?: unknown };

/** An object's fields; none if it is anything else. */
export const fields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** A text; nothing if it is anything else. */
export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Older deployments write a fact as its value alone. */
function facts(value: unknown): Fact[] {
  const { value: own = value, source_type } = fields(value);
  return typeof own === "string" ? [{ value: own, source_type: text(source_type) ?? "unknown" }] : [];
}

const list = (value: unknown): Fact[] => (Array.isArray(value) ? value.flatMap(facts) : []);
const named = (value: unknown): Record<string, Fact> =>
  Object.fromEntries(Object.entries(fields(value)).flatMap(([name, own]) => facts(own).map((fact) => [name, fact])));

const SLICES = {
  general: named,
  communication_style: (value: unknown) => text(value) ?? "",
  preferences: named,
  domain_expertise: list,
  key_relationships: list,
  raw_history: list,
  ongoing_tasks: list,
};
const KEYS = Object.keys(SLICES) as (keyof typeof SLICES)[];

/** Reads a context. Older deployments leave slices out, and write facts as texts. */
export function readContext(answer: Raw<Context>): Context {
  const slices = Object.fromEntries(KEYS.map((key) => [key, SLICES[key](answer[key])]));
  return { ...(slices as Required<Delta>), userId: text(answer.userId) ?? "", last_updated: text(answer.last_updated) ?? "" };
}

const readDelta = (answer: Record<string, unknown>): Delta =>
  Object.fromEntries(KEYS.filter((key) => key in answer).map((key) => [key, SLICES[key](answer[key])]));

/** Reads the answer to an update. */
export function readUpdate(answer: Raw<UpdateResponse>): UpdateResponse {
  const read = { ...answer } as unknown as UpdateResponse;
  for (const name of ["delta", "removed", "evicted"] as const) {
    if (name in answer) read[name] = readDelta(fields(answer[name]));
  }
  return read;
}

/** Reads a health answer, which older deployments write as `{ok: true}`. */
export function readHealth(answer: Raw<Health> & { ok?: unknown }): Partial<Health> & { healthy: boolean } {
  return { ...(answer as Partial<Health>), healthy: answer.status === undefined ? answer.ok === true : answer.status === "ok" };
}
