#!/usr/bin/env bash
# The client for TypeScript: its tests, its package as others install it, with the code of its README on
# Node.js, Deno and Bun, and its scenarios with the server. It needs the internet, or a registry of npm.
#   CTXMEM_OUTAGE_SECONDS=60   how long the long outage of the scenarios is
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

deno=2.9.6
bun=1.4.5
typescript=5.9.3
node_types=20.19.25

need npm "the client for TypeScript" npm
need node "the client for TypeScript" nodejs

# What the client's tests read lies beside it, as in the repository.
mkdir -p "$folder"/repository/{docs,clients,ctxmem-types/tests} "$folder/app"
cp docs/openapi.json "$folder/repository/docs"
cp -r ctxmem-types/tests/golden "$folder/repository/ctxmem-types/tests"
tar --create --exclude node_modules --exclude dist --exclude build --directory clients typescript |
    tar --extract --directory "$folder/repository/clients"

cd "$folder/repository/clients/typescript"
npm ci
npm test --silent > "$folder/tests.log" 2>&1 || { cat "$folder/tests.log"; exit 1; }
grep --max-count 1 --extended-regexp '^(#|ℹ) pass' "$folder/tests.log"
package=$(npm pack --silent --pack-destination "$folder")

# From here on as somebody who has nothing but the package.
cd "$folder/app"
npm init --yes > npm.log
npm install "$folder/$package"
[ "$(ls node_modules)" = ctxmem ] || { echo "the package brings others along"; exit 1; }

# Each block of JavaScript of the README is a program.
node --input-type=module - "$folder/repository/clients/typescript/README.md" <<'EOF'
import { readFileSync, writeFileSync } from "node:fs";
const blocks = readFileSync(process.argv[2], "utf8").matchAll(/^```js\n(.*?)^```$/gms);
let count = 0;
for (const [, code] of blocks) writeFileSync(`readme${++count}.mjs`, code);
if (count < 4) throw new Error(`the README has ${count} programs`);
EOF
npm install "typescript@$typescript" "@types/node@$node_types"
npx tsc --noEmit --checkJs --strict --noImplicitAny false --module nodenext --target es2022 --types node readme*.mjs

# readme COMMAND...: the README's programs.
readme() {
    local program output
    for program in readme*.mjs; do
        output=$("$@" "$program" 2>&1) || { echo "$output"; return 1; }
        case $program in
        readme1.mjs) [[ $output == *"You said: I moved to Lisbon"*"1 updates sent, 0 lost"* ]] ;;
        readme2.mjs) [[ $output == "Hello, Ada." ]] ;;
        readme4.mjs) [[ $output == *'"cache_control"'*'"prompt_cache_breakpoint"'*'"developer"'* ]] ;;
        readme5.mjs) [[ $output == *"location: Lisbon"*"FORBIDDEN 403 true"* ]] ;;
        *) true ;;
        esac || { echo "$program printed: $output"; return 1; }
    done
    echo "the README's programs run on $(basename "$1")"
}

on_a_server readme node
if npm install "deno@$deno" "bun@$bun"; then
    on_a_server readme node_modules/.bin/deno run --quiet --allow-all --node-modules-dir=manual
    on_a_server readme node_modules/.bin/bun run
else
    lacks deno "the client on Deno and Bun" deno
fi

cd "$folder/repository/clients/typescript"
CTXMEM_SERVER=$server npm run --silent scenarios > "$folder/scenarios.log" 2>&1 || { cat "$folder/scenarios.log"; exit 1; }
grep ': prompts ' "$folder/scenarios.log" | sed 's/^# //'
