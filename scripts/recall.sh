#!/usr/bin/env bash
# How much of what people said is stored, in the prompt, or found when it is asked for:
#   scripts/recall.sh FOLDER [--dev] [--only locomo|prefeval]
#   scripts/recall.sh FOLDER --out DIR --model-url URL --model-name NAME [--model-api-key-env VAR]
# The first needs no model, and nobody judges. The second has a model extract and answer; it may be
# interrupted and goes on with what is in DIR. Prints Markdown. FOLDER holds the data, which their
# authors license for non-commercial use, and which are therefore not part of this repository:
#   git clone https://github.com/snap-research/locomo FOLDER/locomo
#   git clone https://github.com/amazon-science/PrefEval FOLDER/PrefEval
set -euo pipefail
if [ $# -eq 0 ]; then
    sed -n '2,9s/^# //p' "$0" >&2
    exit 2
fi

arguments=("$(realpath -- "$1")")
shift
while [ $# -gt 0 ]; do
    case $1 in
    --out)
        mkdir -p "${2?"--out: expected a folder"}"
        arguments+=("$1" "$(realpath -- "$2")")
        shift 2
        ;;
    *)
        arguments+=("$1")
        shift
        ;;
    esac
done
cd "$(dirname "$0")/.."
# As scripts/bench.sh builds them.
cargo build --quiet --profile dist --locked --package ctxmem-server --package ctxmem-bench \
    --features ctxmem-server/jemalloc --bins
target=${CARGO_TARGET_DIR:-target}/dist
exec "$target/ctxmem-bench" recall --server "$target/ctxmem-server" "${arguments[@]}"
