#!/usr/bin/env bash
# What ctxmem costs, as ratios to baselines of the same run:
#   scripts/bench.sh [quick|full] [--only inject-sqlite]
#   scripts/bench.sh quick --only builds --against path/to/another/ctxmem-server
#   scripts/bench.sh quick --only stability --conversations /path/to/folder
#   scripts/bench.sh peers   # beside mem0, which it installs from PyPI
# Prints Markdown; quick takes some minutes, full half an hour. Needs PostgreSQL, but for peers.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = peers ]; then
    target=${CARGO_TARGET_DIR:-target}
    if [ -z "${CTXMEM_BENCH_SERVER:-}" ]; then
        cargo build --quiet --profile dist --locked --package ctxmem-server --features jemalloc --bin ctxmem-server
    fi
    python3 -m venv "$target/peers"
    "$target/peers/bin/pip" install --quiet --disable-pip-version-check mem0ai==2.2.1 chromadb==1.5.9 openai==3.57.0
    exec "$target/peers/bin/python" scripts/peers.py "${CTXMEM_BENCH_SERVER:-$target/dist/ctxmem-server}"
fi

# Built as what is distributed is. In one go: by itself each would ask for other features of
# what both use, compiled again.
cargo build --quiet --profile dist --locked --package ctxmem-server --package ctxmem-bench \
    --features ctxmem-server/jemalloc --bins
# Each idle connection is a file on both sides.
ulimit -n "$(ulimit -Hn)"
target=${CARGO_TARGET_DIR:-target}/dist
exec "$target/ctxmem-bench" run "${1:-quick}" --server "$target/ctxmem-server" "${@:2}"
