#!/usr/bin/env bash
# What ctxmem costs, as ratios to baselines of the same run:
#   scripts/bench.sh [quick|full] [--only inject-sqlite]
#   scripts/bench.sh quick --only builds --against path/to/another/ctxmem-server
#   scripts/bench.sh quick --only stability --conversations /path/to/folder
# Prints Markdown; quick takes some minutes, full half an hour. Needs PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."

# Built as what is distributed is. In one go: by itself each would ask for other features of
# what both use, compiled again.
cargo build --quiet --profile dist --locked --package ctxmem-server --package ctxmem-bench \
    --features ctxmem-server/jemalloc --bins
# Each idle connection is a file on both sides.
ulimit -n "$(ulimit -Hn)"
target=${CARGO_TARGET_DIR:-target}/dist
exec "$target/ctxmem-bench" run "${1:-quick}" --server "$target/ctxmem-server" "${@:2}"
