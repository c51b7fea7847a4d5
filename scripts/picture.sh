#!/usr/bin/env bash
# Records docs/two-turns.webp, the picture of README.md, from a server of its own: two turns of an agent, the
# block in its prompt, and the page of the person it is about. Look at it before you commit it.
#   ./scripts/picture.sh [SERVER [FOLDER]]    SERVER: a binary that has been built; FOLDER: for the frames, to look at
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

need python3 "the calls of the two turns" python3
need 'chromium-headless-shell|chromium|google-chrome' "what is seen" chromium-headless-shell chromium
tool=$target/tools/pillow
[ -d "$tool" ] || python3 -m venv "$tool"
"$tool/bin/pip" install --quiet --disable-pip-version-check pillow==13.0.0
server=${1:-}
if [ -z "$server" ]; then
    cargo build --quiet --locked --bin ctxmem-server
    server=$target/debug/ctxmem-server
fi
browser=$(type -P chromium-headless-shell || type -P chromium || type -P google-chrome)

"$tool/bin/python" scripts/picture.py "$(realpath "$server")" "$browser" docs/two-turns.webp "${@:2}"
stat --format '%n: %s bytes' docs/two-turns.webp
