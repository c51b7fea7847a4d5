#!/usr/bin/env bash
# The long programmes at their full counts; prints one line a figure.
# The same tests run short in scripts/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

CTXMEM_TEST_KILLS="${CTXMEM_TEST_KILLS:-1000}" \
    cargo test --locked --package ctxmem-server --test process -- --nocapture kill:: |
    grep --fixed-strings 'kill -9:'
