#!/usr/bin/env bash
# What generators make of the OpenAPI document: a client in Python and one in TypeScript, each tried
# against a server. It needs the internet, or registries of Python and npm.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

openapi_python_client=0.29.1
openapi_typescript=7.13.0
openapi_fetch=0.17.0
typescript=5.9.3
node_types=24.10.1

need curl "asking whether the server is up" curl
need npm "the generated client in TypeScript" npm
need node "the generated client in TypeScript" nodejs
need python3 "the generated client in Python" python3
need_module ensurepip "the generated client in Python" python3-venv

server=${CTXMEM_SERVER:-${CARGO_TARGET_DIR:-target}/debug/ctxmem-server}
if [ ! -x "$server" ]; then
    cargo build --quiet --locked --bin ctxmem-server
fi
server=$(realpath "$server")

folder=$(mktemp --directory)
process=
end() {
    # Only what was started here.
    if [ -n "$process" ]; then
        kill "$process" 2> /dev/null || true
        wait "$process" 2> /dev/null || true
    fi
    rm -r "$folder"
}
trap end EXIT

cp docs/openapi.json tests/openapi/generated/* "$folder"
cd "$folder"
python3 -m venv tools
tools/bin/pip install --quiet --disable-pip-version-check "openapi-python-client==$openapi_python_client"
tools/bin/openapi-python-client generate --path openapi.json --output-path python > generator.log 2>&1
mv python/ctxmem_client .

npm install --silent --no-fund --no-audit "openapi-typescript@$openapi_typescript" \
    "openapi-fetch@$openapi_fetch" "typescript@$typescript" "@types/node@$node_types"
npx openapi-typescript openapi.json --output api.d.ts > generator.log 2>&1
npx tsc --strict --module nodenext --target es2022 --skipLibCheck turn.mts

# turn COMMAND...: on a server of its own.
turn() {
    local port url key
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    url=http://127.0.0.1:$port
    "$server" --listen "127.0.0.1:$port" --database-url "sqlite://$folder/$port.db" \
        > "$folder/$port.log" 2>&1 &
    process=$!
    for _ in $(seq 100); do
        if curl --silent --fail --output /dev/null "$url/readyz"; then
            break
        fi
        sleep 0.1
    done
    key=$("$server" agent create --name Generated --json --database-url "sqlite://$folder/$port.db" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["api_key"])')
    CTXMEM_BASE_URL=$url CTXMEM_API_KEY=$key "$@"
    kill "$process"
    wait "$process" || true
    process=
}

turn tools/bin/python turn.py
turn node turn.mjs
