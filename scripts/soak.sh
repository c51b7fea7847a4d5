#!/usr/bin/env bash
# The long programmes at their full counts: kills, power cuts, storms, races, outages, odd texts.
# Prints one line a figure, what failed, and how long each part took; it goes on after a failure, and
# ends with one. The same tests run short in scripts/test.sh.
#   scripts/soak.sh [part…]     all parts without an argument, which takes hours
# Much of the time is spent waiting for disks: TMPDIR on a file system in memory saves it.
set -uo pipefail
cd "$(dirname "$0")/.."

export CARGO_INCREMENTAL=0

# run TARGET FILTER...: runs the tests that match, and prints their figures. The target `lib` is all unit tests.
run() {
    local target=(--test "$1")
    [ "$1" != lib ] || target=(--lib)
    shift
    # Without `--package`, which would ask for other features and so compile most of it again.
    CTXMEM_SOAK=1 cargo test --locked "${target[@]}" -- \
        --nocapture --test-threads 1 "$@" 2>&1 |
        sed --unbuffered -n -e 's/^.*figure: //p' -e '/panicked\|FAILED\|^error/p'
}

# modes ENGINE: runs the whole contract where first grants are made in the other two modes.
modes() {
    local mode failed=0
    for mode in own ask; do
        CTXMEM_TEST_ENGINE=$1 CTXMEM_TEST_FIRST_GRANT=$mode \
            cargo test --locked --test contract 2>&1 |
            sed --unbuffered -n -e "s/^test result: /the suite on $1 with first grants by $mode: /p" \
                -e '/panicked\|FAILED$\|^error/p' || failed=1
    done
    return "$failed"
}

client() { run client faults:: ten_thousand; }
contract() {
    run contract storms:: lossy:: set_back:: consent::races background::no_renewal facts::a_stale_id
}
contract_postgres() { CTXMEM_TEST_ENGINE=postgres contract; }
other_modes() { modes sqlite; }
other_modes_postgres() { modes postgres; }
pages() { run dashboard markup::; }
pages_postgres() { CTXMEM_TEST_ENGINE=postgres run dashboard markup::; }
recovery() { run lib nothing_that_either_copy_denies; }
power_cuts() { run process power_cut::; }
# `kill::` is also the end of the other two.
kills() { run process kill:: --skip erasure_kill:: --skip restore_kill::; }
restore_kills() { run process restore_kill::; }
erasure_kills() { run process erasure_kill:: --skip postgres; }
erasure_kills_postgres() { run process erasure_kill::the_same_on_postgres; }
erasure_points() { run process erasure_points:: postgres_copies::; }
faults() {
    run process outage:: quota:: revocation:: several_processes disk:: logs:: io_errors:: failover:: \
        lost_answer:: row_locks::
}
# Of the server as it is distributed, since what a debug build takes and can serve says nothing.
load() {
    local scenario failed=0
    for scenario in overload memory; do
        scripts/bench.sh quick --only "$scenario" | sed --unbuffered -n '/^### \|^| /p' || failed=1
    done
    local server=${CARGO_TARGET_DIR:-$PWD/target}/dist/ctxmem-server
    CTXMEM_TEST_SERVER=$server run process memory:: sockets:: || failed=1
    return "$failed"
}
extraction() { run regression soak::; }
# At most 5,000 requests an operation, of each kind.
requests() { scripts/schemathesis.sh 5000 | sed --unbuffered -n -e 's/^figure: //p' -e '/^- ST/p'; }
generated_clients() { scripts/generated_clients.sh; }
small_model() { scripts/small_model.sh; }

# What is measured by time has the machine for itself. Of the rest two parts run at a time: each waits much
# of its time for processes that start and end.
ALONE=(load faults)
BESIDE=(erasure_kills_postgres recovery power_cuts kills restore_kills erasure_kills contract
    contract_postgres other_modes other_modes_postgres extraction requests erasure_points client pages
    pages_postgres generated_clients small_model)
PARTS=("${ALONE[@]}" "${BESIDE[@]}")

[ $# -gt 0 ] || set -- "${PARTS[@]}"
for part in "$@"; do
    if [[ " ${PARTS[*]} " != *" $part "* ]]; then
        echo "soak.sh: expected parts of ${PARTS[*]}, or nothing" >&2
        exit 2
    fi
done

# Nothing is compiled while something is measured.
CTXMEM_SOAK=1 cargo test --quiet --locked --tests --no-run

reports=$(mktemp --directory)
trap 'rm -r "$reports"' EXIT

# report PART: runs it, and prints its lines when it is done.
report() {
    local began=$SECONDS ended=passed
    "$1" > "$reports/$1" 2>&1 || { ended=failed && touch "$reports/$1.failed"; }
    echo "== $1: $ended after $((SECONDS - began)) s"
    cat "$reports/$1"
}

for part in "$@"; do
    [[ " ${ALONE[*]} " != *" $part "* ]] || report "$part"
done
for part in "$@"; do
    [[ " ${ALONE[*]} " != *" $part "* ]] || continue
    while [ "$(jobs -pr | wc -l)" -ge 2 ]; do
        wait -n
    done
    report "$part" &
done
wait
failed=$(cd "$reports" && ls | sed -n 's/\.failed$//p')
echo "== all of it took $SECONDS s"
if [ -n "$failed" ]; then
    echo "soak.sh: failed: ${failed//$'\n'/ }"
    exit 1
fi
