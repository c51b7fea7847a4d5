# To be sourced after need.sh, at the project's root: the server that a script calls ($server), a folder for what
# the script makes ($folder), and how programs are started. All of it ends with the script.
#   CTXMEM_SERVER=…   the server's program; any build will do, and without it one is built where none is
# shellcheck shell=bash

need curl "asking whether a server is up" curl
need python3 "free ports" python3

server=${CTXMEM_SERVER:-$target/debug/ctxmem-server}
if [ ! -x "$server" ]; then
    cargo build --quiet --locked --bin ctxmem-server
fi
server=$(realpath "$server")

folder=$(mktemp --directory)
# The processes that were started here; no others are ended.
started=()
end() {
    stop
    rm -r "$folder"
}
trap end EXIT

stop() {
    local process
    for process in "${started[@]}"; do
        kill "$process" 2> /dev/null || true
        wait "$process" 2> /dev/null || true
    done
    started=()
}

fail() {
    echo "${0##*/}: $*" >&2
    tail --lines 5 --quiet "$folder"/*.log 2> /dev/null >&2 || true
    exit 1
}

free_port() {
    python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start NAME URL COMMAND...: in the background, until it answers.
start() {
    local name=$1 url=$2
    shift 2
    "$@" > "$folder/$name.log" 2>&1 &
    started+=($!)
    for _ in $(seq 100); do
        if curl --silent --insecure --fail --output /dev/null "$url/livez"; then
            return
        fi
        sleep 0.1
    done
    fail "$name does not answer at $url"
}

# on_a_server COMMAND...: with the address of a server of its own, and the key of an agent there.
on_a_server() {
    local port url database key
    port=$(free_port)
    url=http://127.0.0.1:$port database=sqlite://$folder/$port.db
    start "server-$port" "$url" "$server" --listen "127.0.0.1:$port" --database-url "$database"
    key=$("$server" agent create --name "${0##*/}" --json --database-url "$database" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["api_key"])')
    CTXMEM_BASE_URL=$url CTXMEM_API_KEY=$key CTXMEM_DATABASE_URL=$database "$@"
    stop
}
