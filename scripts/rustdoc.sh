#!/usr/bin/env bash
# Stands in for rustdoc where Cargo has a crate's examples run: writes the crate's documentation as well, in
# which warnings are errors. `cargo doc` would check every dependency a second time for it.
set -euo pipefail

if [[ " $* " == *" --test "* ]]; then
    arguments=()
    skip=
    for argument in "$@"; do
        case ${skip:+skip}$argument in
        skip*) skip= ;;
        --test | --no-run) ;;
        --test-run-directory | --test-args | --test-runtool | --test-runtool-arg) skip=yes ;;
        *) arguments+=("$argument") ;;
        esac
    done
    rustdoc "${arguments[@]}" --deny warnings --out-dir "${CARGO_TARGET_DIR:-target}/doc"
fi
exec rustdoc "$@"
