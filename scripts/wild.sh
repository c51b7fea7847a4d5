#!/usr/bin/env bash
# What the rules find in conversations that nobody labelled, to be judged by reading:
#   scripts/wild.sh FILE… [--sample=N] [--seed=N]
# A file holds one JSON object a line: userMessage, and agentResponse where there is one. Prints
# how many facts there are in a hundred messages, and a random sample (100 by default), each with
# the message that it comes from.
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
