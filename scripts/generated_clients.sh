#!/usr/bin/env bash
# What generators make of the OpenAPI document: a client in Python and one in TypeScript, each tried
# against a server. It needs the internet, or registries of Python and npm.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

openapi_python_client=0.29.1
openapi_typescript=7.13.0
openapi_fetch=0.17.0
typescript=5.9.3
node_types=24.10.1

need npm "the generated client in TypeScript" npm
need node "the generated client in TypeScript" nodejs
need python3 "the generated client in Python" python3
need_module ensurepip "the generated client in Python" python3-venv

cp docs/openapi.json tests/openapi/generated/* "$folder"
cd "$folder"
python3 -m venv tools
tools/bin/pip install --quiet --disable-pip-version-check "openapi-python-client==$openapi_python_client"
tools/bin/openapi-python-client generate --path openapi.json --output-path python > generator.log 2>&1
mv python/ctxmem_client .

npm install "openapi-typescript@$openapi_typescript" \
    "openapi-fetch@$openapi_fetch" "typescript@$typescript" "@types/node@$node_types"
npx openapi-typescript openapi.json --output api.d.ts > generator.log 2>&1
npx tsc --strict --module nodenext --target es2022 --skipLibCheck turn.mts

on_a_server tools/bin/python turn.py
on_a_server node turn.mjs
