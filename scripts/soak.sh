#!/usr/bin/env bash
# The long programmes at their full counts: kills, power cuts, storms, races, outages, odd texts.
# Prints one line a figure, what failed, and how long each part took; it goes on after a failure, and
# ends with one. The same tests run short in scripts/test.sh.
#   scripts/soak.sh [part…]     all parts without an argument, which takes hours
# Much of the time is spent waiting for disks: TMPDIR on a file system in memory saves it.
set -uo pipefail
cd "$(dirname "$0")/.."

export CARGO_INCREMENTAL=0

# run TARGET FILTER...: runs the tests that match, and prints their figures.
run() {
    local target=$1
    shift
    # Without `--package`, which would ask for other features and so compile most of it again.
    CTXMEM_SOAK=1 cargo test --locked --workspace --test "$target" -- \
        --nocapture --test-threads 1 "$@" 2>&1 |
        sed --unbuffered -n -e 's/^.*figure: //p' -e '/panicked\|FAILED\|^error/p'
}

# modes TARGET: runs the whole contract where first grants are made in the other two modes.
modes() {
    local mode failed=0
    for mode in own ask; do
        CTXMEM_TEST_FIRST_GRANT=$mode cargo test --locked --workspace --test "$1" 2>&1 |
            sed --unbuffered -n -e "s/^test result: /the $1 suite with first grants by $mode: /p" \
                -e '/panicked\|FAILED$\|^error/p' || failed=1
    done
    return "$failed"
}

client() { run client faults:: ten_thousand; }
contract() { run contract storms:: lossy:: set_back:: consent::races; }
contract_postgres() { run contract_postgres storms:: lossy:: set_back:: consent::races; }
other_modes() { modes contract; }
other_modes_postgres() { modes contract_postgres; }
pages() { run dashboard markup::; }
pages_postgres() { run dashboard_postgres markup::; }
power_cuts() { run process power_cut::; }
# `kill::` is also the end of `erasure_kill::`.
kills() { run process kill:: --skip erasure_kill::; }
erasure_kills() { run process erasure_kill:: --skip postgres; }
erasure_kills_postgres() { run process erasure_kill::the_same_on_postgres; }
erasure_points() { run process erasure_points:: postgres_copies::; }
faults() {
    run process outage:: quota:: revocation:: several_processes memory:: sockets:: disk:: \
        logs:: io_errors:: failover:: lost_answer:: row_locks::
}
# Built as what is distributed is, since what a debug build can serve says nothing.
load() {
    local scenario failed=0
    for scenario in overload memory; do
        scripts/bench.sh quick --only "$scenario" | sed --unbuffered -n '/^### \|^| /p' || failed=1
    done
    return "$failed"
}
extraction() { run regression soak::; }
# At most 5,000 requests an operation, of each kind.
requests() { scripts/schemathesis.sh 5000 | sed --unbuffered -n -e 's/^figure: //p' -e '/^- ST/p'; }
generated_clients() { scripts/generated_clients.sh; }

# The longest come last.
PARTS=(client contract contract_postgres other_modes other_modes_postgres pages pages_postgres
    erasure_points faults load power_cuts kills extraction generated_clients requests erasure_kills
    erasure_kills_postgres)

[ $# -gt 0 ] || set -- "${PARTS[@]}"
for part in "$@"; do
    if [[ " ${PARTS[*]} " != *" $part "* ]]; then
        echo "soak.sh: expected parts of ${PARTS[*]}, or nothing" >&2
        exit 2
    fi
done
failed=()
for part in "$@"; do
    began=$SECONDS
    echo "== $part"
    "$part" || failed+=("$part")
    echo "== took $((SECONDS - began)) s"
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "soak.sh: failed: ${failed[*]}"
    exit 1
fi
