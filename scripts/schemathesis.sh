#!/usr/bin/env bash
# Tries the interface with requests that schemathesis makes of its OpenAPI document: right ones and
# wrong ones, single ones and chains. CASES is how many an operation, at most.
# Usage: scripts/schemathesis.sh [CASES]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

cases=${1:-40}
version=4.32.5

need python3 "schemathesis" python3
need_module ensurepip "schemathesis" python3-venv

tools=$target/schemathesis-$version
if [ ! -x "$tools/bin/schemathesis" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
fi

port=$(free_port)
url=http://127.0.0.1:$port
export CTXMEM_DATABASE_URL="sqlite://$folder/ctxmem.db" CTXMEM_PUBLIC_URL=$url
export CTXMEM_SIGN_IN_SECRET=0123456789abcdef0123456789abcdef
start server "$url" "$server" --listen "127.0.0.1:$port" --rate-limit 0 --erasure-limit 0

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
    kill -0 "${started[0]}" || fail "the server went down"
    echo "figure: schemathesis, $1, at most $2 an operation:$(grep -E ' generated, ' "$folder/result")"
}

run examples,coverage,fuzzing "$cases"
# Each of these is a chain of calls.
run stateful $((cases / 10 + 20))
