#!/usr/bin/env bash
# How many source files of ours a request passes through: an inject that misses the cache, one that
# hits it, and an update. Runs an unoptimised server on SQLite under callgrind (apt-get install
# valgrind); --list prints the files too.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --locked --bins
binary=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/ctxmem-server
folder=$(mktemp -d)
cd "$folder"

valgrind --quiet --tool=callgrind --instr-atstart=no --compress-strings=no --callgrind-out-file=out \
    "$binary" --listen 127.0.0.1:0 --json --log off --rate-limit 0 > started 2> stderr &
server=$!
trap 'kill $server 2> /dev/null; wait $server || true; rm -r "$folder"' EXIT
until grep -q api_key started; do sleep 0.2; done
url=$(sed 's/.*"url":"\([^"]*\)".*/\1/' started)
key=$(sed 's/.*"api_key":"\([^"]*\)".*/\1/' started)

# call PATH BODY: calls the server.
call() {
    curl --silent --fail --output /dev/null --header "Authorization: Bearer $key" --json "$2" "$url/api/context/$1"
}

# window COMMAND…: the files that are passed through while the command runs.
window() {
    callgrind_control --instr=on "$server" > /dev/null
    "$@"
    callgrind_control --dump "$server" > /dev/null
    callgrind_control --instr=off "$server" > /dev/null
    sed -n 's/^fl=.*\(ctxmem-[a-z]*\/src\/\)/\1/p' out.* | sort -u
    rm -f out.*
}

# passed NAME LIST PATH BODY: the files that this call passes through, without those of the housekeeping.
passed() {
    window call "$3" "$4" | comm -23 - idle > files
    printf '%-28s %s files\n' "$1" "$(wc -l < files)"
    if [ "$2" = --list ]; then cat files; fi
}

inject='{"userId":"ada","basePrompt":"Be brief."}'
lives() { printf '{"userId":"ada","userMessage":"I live in %s.","agentResponse":"Noted."}' "$1"; }
list=${1:-}
call inject "$inject"
for place in Porto Faro Braga; do call update "$(lives "$place")"; done
window sleep 5 > idle
passed 'inject, misses the cache' "$list" inject "$inject"
passed 'inject, hits the cache' "$list" inject "$inject"
passed 'update' "$list" update "$(lives Lisbon)"
