// Writes src/types.ts: the bodies that the client sends and receives, from the OpenAPI document.
//   node scripts/types.mjs            writes the file
//   node scripts/types.mjs --check    fails if the file is stale
import { readFileSync, writeFileSync } from "node:fs";

const document = new URL("../../../docs/openapi.json", import.meta.url);
const target = new URL("../src/types.ts", import.meta.url);
const { components } = JSON.parse(readFileSync(document, "utf8"));

// By name, what the client sends and what it reads. Whatever they refer to comes along.
const requests = ["GrantRequest", "InjectRequest", "UpdateRequest"];
const answers = ["Context", "ErrorCode", "FactRecord", "Grant", "Health", "InjectResponse", "UpdateResponse"];
// Texts with a name of their own would only make signatures harder to read.
const inlined = new Set(["Redacted", "Timestamp", "UserId"]);

const reference = (schema) => schema.$ref?.split("/").at(-1);

const wanted = new Map();
/** Notes a schema, and those that it names. Answers may hold values that are newer than this document. */
function note(schema, isAnswer) {
  if (typeof schema !== "object" || schema === null) return;
  const name = reference(schema);
  if (name) {
    if (wanted.get(name) || (wanted.has(name) && !isAnswer)) return;
    wanted.set(name, isAnswer);
    note(components.schemas[name], isAnswer);
  }
  for (const value of Object.values(schema)) note(value, isAnswer);
}
for (const [names, isAnswer] of [[requests, false], [answers, true]]) {
  for (const name of names) note({ $ref: `#/components/schemas/${name}` }, isAnswer);
}

function type(schema) {
  const name = reference(schema);
  if (name) return inlined.has(name) ? type(components.schemas[name]) : name;
  if (schema.oneOf) return schema.oneOf.map(type).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = [schema.type].flat().map((kind) => {
    if (kind === "integer") return "number";
    if (kind === "array") return `${type(schema.items)}[]`;
    if (kind === "object") return `Record<string, ${schema.additionalProperties ? type(schema.additionalProperties) : "unknown"}>`;
    return kind;
  });
  return types.join(" | ");
}

/** The first paragraph of a description, on one line. */
function comment(text, indent) {
  const plain = text?.split("\n\n")[0].replaceAll("\n", " ").replaceAll(/\[`(\w+)`\]/g, "`$1`");
  return plain ? `${indent}/** ${plain} */\n` : "";
}

function declaration(name, isAnswer) {
  const schema = components.schemas[name];
  const head = comment(schema.description, "");
  if (schema.enum) return `${head}export type ${name} = ${type(schema)}${isAnswer ? " | (string & {})" : ""};\n`;
  const fields = Object.entries(schema.properties).map(([field, value]) => {
    const optional = schema.required?.includes(field) ? "" : "?";
    return `${comment(value.description, "  ")}  ${field}${optional}: ${type(value)};\n`;
  });
  return `${head}export interface ${name} {\n${fields.join("")}}\n`;
}

const names = [...wanted.keys()].filter((name) => !inlined.has(name)).sort();
const text = `// Generated from docs/openapi.json by scripts/types.mjs. Don't change it by hand.\n
${names.map((name) => declaration(name, wanted.get(name))).join("\n")}`;

if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  console.error("src/types.ts is stale: run `npm run types`");
  process.exit(1);
}
