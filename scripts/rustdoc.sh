#!/usr/bin/env bash
# Stands in for rustdoc where Cargo has a crate's examples run: writes the crate's documentation as well, in
# which warnings are errors, unless it was written since the crate was compiled last. `cargo doc` would check every
# dependency a second time for it. With $DOCUMENTED it writes only that of these crates.
set -euo pipefail

if [[ " $* " == *" --test "* ]]; then
    arguments=()
    skip=
    crate=
    previous=
    for argument in "$@"; do
        [ "$previous" != --crate-name ] || crate=$argument
        previous=$argument
        case ${skip:+skip}$argument in
        skip*) skip= ;;
        --test | --no-run) ;;
        --test-run-directory | --test-args | --test-runtool | --test-runtool-arg) skip=yes ;;
        *) arguments+=("$argument") ;;
        esac
    done
    compiled=
    for argument in "$@"; do
        [[ $argument != "$crate="*.rlib ]] || compiled=${argument#*=}
    done
    documents=${CARGO_TARGET_DIR:-target}/doc
    written=$documents/$crate/.written
    if [[ " ${DOCUMENTED:-$crate} " != *" $crate "* ]]; then
        : # Only its examples.
    elif [ ! -f "$compiled" ] || [ ! "$written" -nt "$compiled" ] || [ ! "$written" -nt "$0" ]; then
        rm -f "$written"
        rustdoc "${arguments[@]}" --deny warnings --out-dir "$documents"
        touch "$written"
    fi
fi
exec rustdoc "$@"
