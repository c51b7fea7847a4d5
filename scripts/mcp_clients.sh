#!/usr/bin/env bash
# Clients of the Model Context Protocol, as their users set them up: the commands and Python programs of docs/mcp.md
# are run as they stand there, but for the address and the key, by the real programs from npm and the real packages
# from PyPI, and each has to connect: with a key, or let in by a user whose browser is scripts/mcp_browser.py. None of
# them is signed in or asks a model. It needs the internet, or registries.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

claude_code=2.1.197
codex=0.171.0
gemini_cli=0.61.0

packages=(mcp==1.30.0 langchain-mcp-adapters==0.3.2 openai-agents==0.24.0 "pydantic-ai-slim[mcp]==2.68.0")

need npm "clients of MCP" npm
need python3 "clients of MCP" python3
need_module ensurepip "clients of MCP" python3-venv
need node "clients of MCP" nodejs
need script "clients of MCP" bsdutils

[ -x "$target/debug/ctxmem-mcp" ] || cargo build --quiet --locked --bin ctxmem-mcp
project=$PWD
tools=$target/mcp-clients
npm install --prefix "$tools" "@anthropic-ai/claude-code@$claude_code" \
    "@openai/codex@$codex" "@google/gemini-cli@$gemini_cli"

[ -x "$tools/python/bin/python" ] || python3 -m venv "$tools/python"
"$tools/python/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"

# None of Codex's commands connects to a server; its own app server does, and says what it finds there.
seen_by_codex() {
    {
        echo '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}'
        echo '{"method":"initialized"}'
        echo '{"id":2,"method":"mcpServerStatus/list","params":{}}'
        sleep 10
    } | codex app-server 2> "$folder/codex.log" | python3 -c '
import json, sys
for line in sys.stdin:
    answer = json.loads(line)
    if answer.get("id") == 2:
        for server in answer["result"]["data"]:
            print(server["name"], "Connected" if len(server["tools"]) == 4 else "shows too little")
        break
'
}

# connects NAME LIST…: the client's own list says of each server that was added that it is connected.
connects() {
    local name=$1 listed added
    shift
    listed=$("$@" 2>&1)
    added=$(grep --count "^$name mcp add " "$folder/commands")
    if [ "$added" -eq 0 ] || [ "$(grep --count 'Connected$' <<< "$listed")" -ne "$added" ]; then
        fail "$name: of $added servers: $listed"
    fi
    echo "$name: $added connected"
}

try() {
    grep --extended-regexp '^(claude|codex|gemini) mcp (add|login) ' "$project/docs/mcp.md" |
        sed "s|http://127.0.0.1:8080|$CTXMEM_BASE_URL|g; s|ctxm_…|$CTXMEM_API_KEY|g" > "$folder/commands"
    export HOME=$folder/home PATH=$tools/node_modules/.bin:$target/debug:$PATH
    mkdir "$HOME" "$folder/bin"
    # What opens a person's browser.
    printf '#!/bin/sh\nexec python3 "%s/scripts/mcp_browser.py" "$1"\n' "$project" > "$folder/bin/xdg-open"
    chmod +x "$folder/bin/xdg-open"
    export BROWSER=$folder/bin/xdg-open PATH=$folder/bin:$PATH CTXMEM_SERVER=$server
    cd "$HOME"
    while read -r command; do
        # A sign-in wants a terminal.
        timeout 60 script --quiet --return --command "$command" /dev/null > "$folder/add.log" 2>&1 < /dev/null ||
            fail "this does not work: $command"
    done < "$folder/commands"
    connects claude claude mcp list
    # It starts no server for a folder that nobody has said to trust.
    GEMINI_CLI_TRUST_WORKSPACE=true connects gemini gemini mcp list
    connects codex seen_by_codex
    # Each program of the document prints the names of the tools.
    awk -v folder="$folder" '/^```python$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > (folder "/" n ".py") }' \
        "$project/docs/mcp.md"
    local program names programs=0
    for program in "$folder"/[0-9].py; do
        sed -i "s|http://127.0.0.1:8080|$CTXMEM_BASE_URL|g; s|ctxm_…|$CTXMEM_API_KEY|g" "$program"
        names=$("$tools/python/bin/python" "$program" 2>&1) || fail "this does not work: $(cat "$program"): $names"
        [[ $names == *get_context*remember* ]] || fail "$(grep -m 1 --only-matching 'from .* import' "$program"): $names"
        programs=$((programs + 1))
    done
    [ "$programs" -eq "${#packages[@]}" ] || fail "of ${#packages[@]} packages $programs are in the document"
    echo "Python: $programs connected"
}

CTXMEM_MCP=on CTXMEM_MCP_OAUTH=on on_a_server try
