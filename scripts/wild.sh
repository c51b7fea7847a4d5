#!/usr/bin/env bash
# Shows what the rules find in conversations that nobody labelled, for somebody to judge:
#   scripts/wild.sh FILE… [--sample=N] [--seed=N]
# Each line of a file is a JSON object with userMessage and optionally agentResponse. Prints how
# many facts a hundred messages give, and a random sample of facts (100 by default), each with the
# message that it comes from.
set -euo pipefail
if [ $# -eq 0 ]; then
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
fi

files=()
for argument in "$@"; do
    case $argument in
    --*) files+=("$argument") ;;
    *) files+=("$(realpath -- "$argument")") ;;
    esac
done
cd "$(dirname "$0")/.."
exec cargo run --quiet --locked --release --package ctxmem-extract --example wild -- "${files[@]}"
