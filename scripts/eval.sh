#!/usr/bin/env bash
# How well facts are extracted: ctxmem-extract/tests/regression/README.md.
#   scripts/eval.sh [SET] [--max-chars N] [extractor flags…]
#   scripts/eval.sh --extractor model --model-url http://localhost:11434/v1 --model-name qwen3
# SET is a file of labelled interactions; the default is the one in the repository.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
set=$root/ctxmem-extract/tests/regression/dev.jsonl
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    set=$(realpath -- "$1")
    shift
fi
scoring=()
extractor=()
while [ $# -gt 0 ]; do
    case $1 in
    --max-chars)
        scoring+=("--max-chars=${2?"--max-chars: expected a number"}")
        shift 2
        ;;
    --max-chars=*)
        scoring+=("$1")
        shift
        ;;
    *)
        extractor+=("$1")
        shift
        ;;
    esac
done

predictions=$(mktemp)
trap 'rm -f "$predictions"' EXIT
cd "$root"
cargo build --quiet --locked --package ctxmem-server --bin ctxmem-server
cargo run --quiet --locked --package ctxmem-server --bin ctxmem-server -- \
    extract "$set" "${extractor[@]}" > "$predictions"
cargo run --quiet --locked --package ctxmem-extract --example score -- \
    "$set" "$predictions" "${scoring[@]}"
