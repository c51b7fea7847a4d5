#!/usr/bin/env bash
# How far a deployment conforms to the interface: see docs/conformance.md.
#   CTXMEM_CONTRACT_URL=https://memory.example.com CTXMEM_CONTRACT_KEY=ctxm_… scripts/conformance.sh
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --quiet --locked --release --package ctxmem-conformance -- "$@"
