// What is promised of the sources and the package.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { VERSION } from "../src/version.js";
import { ROOT } from "./support.js";

const source = (name: string) => readFileSync(new URL(`src/${name}`, ROOT), "utf8");
const names = readdirSync(new URL("src/", ROOT));

/** Lines with code: neither empty nor comments alone. */
const codeLines = (text: string) => text.split("\n").filter((line) => !/^\s*(\/\/.*|\/\*.*\*\/|\/\*\*|\*.*|\*\/)?$/.test(line)).length;

test("the generated types are up to date", () => {
  execFileSync(process.execPath, ["scripts/types.mjs", "--check"], { cwd: ROOT });
});

test("the client has at most 900 lines of code, and an adapter 60", () => {
  const own = names.filter((name) => name !== "ai-sdk.ts").map(source);
  const lines = own.map(codeLines).reduce((sum, count) => sum + count);
  assert.ok(lines <= 900, `${lines} lines`);
  assert.ok(lines > 500, `only ${lines} lines are counted`);
  assert.ok(codeLines(source("ai-sdk.ts")) <= 60);
});

test("it runs everywhere: nothing is imported but the client's own files, and types", () => {
  for (const name of names) {
    for (const [line, what] of source(name).matchAll(/^(?:import|export) [^;]*from "(.*)";$/gm)) {
      assert.ok(what.startsWith("./") || line.startsWith("import type"), `${name}: ${line}`);
    }
    assert.doesNotMatch(source(name), /\b(Buffer|require|__dirname)\b|process\.(?!env)/, name);
  }
});

test("the version is the package's", () => {
  const { version, dependencies } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  assert.equal(VERSION, version);
  assert.equal(dependencies, undefined);
});
