#!/usr/bin/env bash
# The long programmes at their full counts: kills, power cuts, storms, races, outages, odd texts.
# Prints one line a figure, and what failed. The same tests run short in scripts/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

# run PACKAGE TARGET FILTER...: runs the tests that match, and prints their figures.
run() {
    local package=$1 target=$2
    shift 2
    CTXMEM_SOAK=1 cargo test --locked --package "$package" --test "$target" -- \
        --nocapture --test-threads 1 "$@" 2>&1 |
        sed --unbuffered -n -e 's/^.*figure: //p' -e '/panicked\|FAILED/p'
}

# modes TARGET: runs the whole contract where first grants are made in the other two modes.
modes() {
    local mode
    for mode in own ask; do
        CTXMEM_TEST_FIRST_GRANT=$mode cargo test --locked --package ctxmem --test "$1" 2>&1 |
            sed --unbuffered -n -e "s/^test result: /the $1 suite with first grants by $mode: /p" \
                -e '/panicked\|FAILED$/p'
    done
}

run ctxmem client faults:: ten_thousand
run ctxmem contract storms:: lossy:: set_back:: consent::races
run ctxmem contract_postgres storms:: lossy:: set_back:: consent::races
modes contract
modes contract_postgres
run ctxmem dashboard markup::
run ctxmem dashboard_postgres markup::
run ctxmem-server process kill:: erasure_kill:: erasure_points:: \
    postgres_copies:: power_cut:: outage:: quota:: revocation:: several_processes \
    memory:: sockets:: disk:: logs:: io_errors:: overload:: failover:: lost_answer:: row_locks::
run ctxmem-extract regression soak::
# At most 5,000 requests an operation, of each kind.
scripts/schemathesis.sh 5000 | sed --unbuffered -n -e 's/^figure: //p' -e '/^- ST/p'
scripts/generated_clients.sh
