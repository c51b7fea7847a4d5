#!/usr/bin/env bash
# Tries the interface with requests that schemathesis makes of its OpenAPI document: right ones and
# wrong ones, single ones and chains. CASES is how many an operation, at most.
# Usage: scripts/schemathesis.sh [CASES]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

cases=${1:-40}
version=4.32.5

need curl "asking whether the server is up" curl
need python3 "schemathesis" python3
need_module ensurepip "schemathesis" python3-venv

tools="$PWD/${CARGO_TARGET_DIR:-target}/schemathesis-$version"
if [ ! -x "$tools/bin/schemathesis" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
fi

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

port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
export CTXMEM_DATABASE_URL="sqlite://$folder/ctxmem.db" CTXMEM_PUBLIC_URL=$url
export CTXMEM_SIGN_IN_SECRET=0123456789abcdef0123456789abcdef
"$server" --listen "127.0.0.1:$port" --rate-limit 0 --erasure-limit 0 > "$folder/log" 2>&1 &
process=$!
for _ in $(seq 100); do
    if curl --silent --fail --output /dev/null "$url/readyz"; then
        break
    fi
    sleep 0.1
done

field() {
    python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

agent=$("$server" agent create --name Schemathesis --json)
CTXMEM_KEY=$(field api_key <<< "$agent")
CTXMEM_AGENT=$(field agent_id <<< "$agent")
link=$("$server" user sign-in-link ada --json | field url)
CTXMEM_SESSION=$(curl --silent --show-error --output /dev/null --dump-header - \
    --data-urlencode "token=${link#*token=}" "$url/sign-in" |
    sed -n 's/^set-cookie: ctxmem_session=\([^;]*\).*/\1/p')
export CTXMEM_KEY CTXMEM_AGENT CTXMEM_SESSION SCHEMATHESIS_HOOKS=hooks.py

# Something is there to be read and deleted.
curl --silent --show-error --fail --output /dev/null --header "Authorization: Bearer $CTXMEM_KEY" \
    --json '{"userId": "ada", "userMessage": "I live in Lisbon.", "agentResponse": "Noted."}' \
    "$url/api/context/update"

# It keeps what it found in the folder where it runs.
cp tests/openapi/schemathesis.toml tests/openapi/hooks.py "$folder"
cd "$folder"

# run PHASES COUNT
run() {
    "$tools/bin/schemathesis" run "$url/api/openapi.json" --phases "$1" --max-examples "$2" --seed 1 \
        --no-color | tee "$folder/result"
    if ! kill -0 "$process"; then
        echo "schemathesis.sh: the server went down" >&2
        exit 1
    fi
    echo "figure: schemathesis, $1, at most $2 an operation:$(grep -E ' generated, ' "$folder/result")"
}

run examples,coverage,fuzzing "$cases"
# Each of these is a chain of calls.
run stateful $((cases / 10 + 20))
