#!/usr/bin/env bash
# Makes the weights of the classifier from labelled sentences, which the project does not hold:
#   scripts/train.sh FILE…                    # writes ctxmem-extract/model/weights.bin
#   scripts/train.sh --cross-validate FILE…   # prints what weights find that have not seen a fifth
# With `--from WEIGHTS` before the files it goes on from weights that are there, and with `--short --from WEIGHTS` it
# learns only how short sentences differ.
# The form of the files stands in ctxmem-extract/examples/train.rs. The same files give the same bytes.
set -euo pipefail
weights=$(realpath "$(dirname "$0")/..")/ctxmem-extract/model/weights.bin
if [ "${1:-}" = --cross-validate ]; then
    set -- "$@"
else
    set -- --output "$weights" "$@"
fi
exec cargo run --quiet --release --locked --package ctxmem-extract --example train -- "$@"
