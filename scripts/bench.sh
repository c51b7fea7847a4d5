#!/usr/bin/env bash
# What ctxmem costs, as ratios to baselines of the same run:
#   scripts/bench.sh [quick|full] [--only inject-sqlite]
# Prints Markdown; quick takes some minutes, full about an hour. Needs PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --release --locked --package ctxmem-server --bin ctxmem-server
cargo build --quiet --release --locked --package ctxmem-bench
# Each idle connection is a file on both sides.
ulimit -n "$(ulimit -Hn)"
exec target/release/ctxmem-bench run "${1:-quick}" --server target/release/ctxmem-server "${@:2}"
