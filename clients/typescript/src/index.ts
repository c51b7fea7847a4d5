export { Client, type ClientOptions, type UpdateOptions } from "./client.js";
export { CtxmemError, type ErrorDetails, type ErrorKind } from "./errors.js";
export { Injected, type Access } from "./injected.js";
export type { Place } from "./place.js";
export { Turn, Turns, type Answer } from "./turns.js";
export type * from "./types.js";
export { UpdateResult, Updates, type Interaction, type UpdatesOptions, type UpdateStats } from "./updates.js";
