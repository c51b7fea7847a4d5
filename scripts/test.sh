#!/usr/bin/env bash
# Runs the tests, and fetches what they need where it is missing (scripts/need.sh).
#   ./scripts/test.sh                     what a change must pass
#   ./scripts/test.sh all                 that and all the rest, before an issue is closed or a release made
#   ./scripts/test.sh PART… [-- TEST…]    these parts, and of their tests those whose names match
# It goes on after a failure. At the end it says how long each part took, what failed, with the command
# that repeats just that, and what was not run. The parts are described in CONTRIBUTING.md.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

CHANGE=(format build unit client providers contract contract_postgres pages documents packages)
REST=(conformance integrations documents_rest unit_long contract_long contract_postgres_long pages_attacks rig async_openai bench process pages_postgres inspector mcp_clients generated_clients clients_python clients_typescript interface public_api deploy site examples features)
# It is built from source, and asks for advisories on the internet.
if has cargo-deny; then
    REST+=(dependencies)
fi

# They wait about half of their time, for a clock, an answer or another program, and so run beside the other parts.
WAITING=(client providers conformance integrations documents)

# More than half of the contract's time: whole tables, cell by cell; the answers of hostile and of small models; and
# faults that show only after dozens or thousands of repetitions.
LONG=(authorisation::cells:: consent::table:: hostile:: poisoning:: small_models::
    freshness::races:: consent::races:: many_races storms:: lossy:: a_thousand_injects sixty_four two_hundred
    long_history pile_up every_scope_has_a_cap
    audit::batches::two_servers_that_store_their_audit_buffers_at_once_do_not_collide)
# What is decided above the engines: how requests and replies look, who has to wait, and what others answer.
ABOVE=(suite::transport:: mcp::transport:: errors:: language:: forms:: form_marks:: suite::pages:: suite::model::
    openapi:: oidc::provider:: rate_limit:: dashboard::playground:: dashboard::quickstarts::
    dashboard::throttle::)
# Histories made up by the dozen; `unit` merges them on SQLite.
MERGED=nothing_that_either_copy_denies_is_allowed_on_postgres
# What documents say, and where their links lead.
WORDS=(docs:: links:: operating::)
# What no person does: other sites, markup in everything that is shown, and Enter in every field.
ATTACKS=(cross_site:: markup:: enter::)

# Each connection of a test is a file on both sides, and users mostly begin with 1,024.
ulimit -Sn "$(ulimit -Hn)"
# What each crate keeps for its next build spares that one two minutes, and costs the first one. Where every build is
# the first, nothing is kept.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

# Clippy is the compiler here, by the variables through which `cargo clippy` hands over to it: what is checked
# and what is tested is compiled once.
lint_by_compiling() {
    CLIPPY_DRIVER=$(rustc --print sysroot)/bin/clippy-driver
    [ -x "$CLIPPY_DRIVER" ] || rustup component add clippy
    export CLIPPY_DRIVER RUSTC_WORKSPACE_WRAPPER=$PWD/scripts/rustc.sh CLIPPY_ARGS=--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
}

format() {
    cargo fmt --all --check
}

build() {
    need cc "compiling SQLite and the TLS library" gcc
    cargo build --locked --all-targets
}

unit() {
    postgres
    # Many wait: for a Postgres to start, a lock, a time-out.
    RUST_TEST_THREADS=$(($(nproc) * 2)) \
        cargo_test --lib --bins --examples --benches --test wire --test regression --test extraction -- --skip "$MERGED"
}

unit_long() {
    postgres
    cargo_test --lib -- "$MERGED"
}

client() { RUST_TEST_THREADS=$(($(nproc) * 3)) cargo_test --test client; }
providers() { cargo_test --test providers; }
# It waits more than it works.
conformance() { RUST_TEST_THREADS=8 cargo_test --test conformance -- "${WORDS[@]/#/--skip=}"; }
integrations() { cargo_test --test mcp -- --skip inspector::; }

contract() {
    need python3 "the quickstart in Python" python3
    need node "the quickstart in TypeScript" nodejs
    # They wait now and then, for a disk, a lock or a clock.
    RUST_TEST_THREADS=$(($(nproc) * 2)) cargo_test --test contract -- "${LONG[@]/#/--skip=}"
}

# What a SQLite file holds is the same wherever the others run. Half of the work is done by Postgres, which its tests
# wait for.
contract_postgres() {
    postgres
    local skipped=(--skip files:: "${ABOVE[@]/#/--skip=}" "${LONG[@]/#/--skip=}")
    RUST_TEST_THREADS=$(($(nproc) * 2)) CTXMEM_TEST_ENGINE=postgres cargo_test --test contract -- "${skipped[@]}"
}

contract_long() { cargo_test --test contract -- "${LONG[@]}"; }
contract_postgres_long() {
    postgres
    CTXMEM_TEST_ENGINE=postgres cargo_test --test contract -- "${ABOVE[@]}" "${LONG[@]}"
}

# A browser keeps a core busy nine tenths of the time.
in_browsers() { RUST_TEST_THREADS=$(($(nproc) + 1)) cargo_test --test dashboard "$@"; }

pages() {
    browser && in_browsers -- "${ATTACKS[@]/#/--skip=}"
}

pages_attacks() {
    browser && in_browsers -- "${ATTACKS[@]}"
}

# With pictures of the pages, in target/screenshots.
pages_postgres() {
    postgres
    browser && CTXMEM_TEST_PICTURES=1 CTXMEM_TEST_ENGINE=postgres in_browsers
}

# The documentation is written beside its examples, from the same compilation: that of the crates which agents use.
# That of the others takes four times as long.
documents() {
    DOCUMENTED="ctxmem_types ctxmem_cache_hints ctxmem_client" RUSTDOC=$PWD/scripts/rustdoc.sh cargo_test --doc &&
        cargo_test --test conformance -- "${WORDS[@]}"
}

documents_rest() { RUSTDOC=$PWD/scripts/rustdoc.sh cargo_test --doc; }

packages() {
    # Only what tests run can be stopped at failpoints.
    if cargo tree --locked --package ctxmem-server --edges features,no-dev | grep 'feature "failpoints"'; then
        return 1
    fi
    # What published crates turn on in `serde_json` would be turned on for everybody who uses them.
    if cargo tree --locked --package ctxmem-types --package ctxmem-client --all-features \
        --edges features,no-dev --invert serde_json |
        grep -E 'serde_json feature "(preserve_order|float_roundtrip|arbitrary_precision)"'; then
        return 1
    fi
    local package=(cargo package --workspace --exclude ctxmem --exclude ctxmem-bench --exclude 'ctxmem-test-*'
        --no-verify --locked --allow-dirty)
    # There may be no network, and mostly what it looks up has been fetched with what was built.
    "${package[@]}" --offline || "${package[@]}"
}

# What the integrations turn on of what others use as well is compiled anew.
rig() {
    cargo_test --package ctxmem-rig --all-targets &&
        cargo_test --package ctxmem-rig --doc &&
        cargo run --quiet --locked --package ctxmem-rig --example rig
}

async_openai() {
    cargo_test --package ctxmem-test-async-openai &&
        cargo_test --package ctxmem-client --features async-openai --doc -- async_openai
}

bench() { cargo_test --workspace --exclude ctxmem-rig --bin ctxmem-bench; }

# Kills, power cuts, outages, poolers, operators' commands: the binary as it is run.
process() {
    postgres
    need curl "the calls that a first start prints" curl
    need openssl "a certificate of Postgres" openssl
    unpack kill "signals to the server" procps
    unpack pgrep "the processes of a Postgres to kill" procps
    unpack strace "what the server writes and flushes" strace
    unpack pgbouncer "a pooler in front of Postgres" pgbouncer
    unpack promtool "metrics and alert rules, as Prometheus reads them" prometheus
    cargo_test --test process
}

inspector() {
    need npm "the official inspector of MCP" npm
    scripts/inspector.sh && cargo_test --test mcp -- inspector::
}

mcp_clients() { scripts/mcp_clients.sh; }
generated_clients() { scripts/generated_clients.sh; }
clients_python() { scripts/clients_python.sh; }
clients_typescript() { scripts/clients_typescript.sh; }
interface() { scripts/schemathesis.sh; }
public_api() { scripts/public_api.sh; }
deploy() { scripts/deploy.sh; }
site() { scripts/site.sh; }

# Without `--package`, which would ask for other features and so compile most of it again.
examples() {
    local example
    for example in quickstart grants; do
        cargo run --quiet --locked --example "$example" || return
    done
}

# What all tests together turn on is not what everybody turns on.
features() {
    local features
    unset RUSTC_WORKSPACE_WRAPPER
    for features in "" rustls blocking async-openai durable test-utils; do
        cargo check --package ctxmem-client --locked --no-default-features --features "$features" || return
    done
    # Without what not everybody needs, and as it is deployed.
    cargo check --package ctxmem-server --locked --no-default-features || return
    need make "building the allocator" make
    EXTRA_CFLAGS="-g0 -O1" cargo check --package ctxmem-server --locked --features jemalloc || return
    # The program alone, and what a server takes of it.
    for features in "" stdio http; do
        cargo check --package ctxmem-mcp --locked --no-default-features --features "$features" || return
    done
}

dependencies() { cargo deny --locked check; }

postgres() {
    [ -n "${CTXMEM_TEST_POSTGRES_URL:-}" ] ||
        { unpack initdb "the tests on Postgres" postgresql &&
            need_file /usr/share/zoneinfo/UTC "the time zones of Postgres" tzdata; }
}

browser() {
    local browsers='chromium-headless-shell|chromium|chromium-browser|google-chrome'
    need "$browsers" "the pages in a browser" chromium-headless-shell chromium-browser &&
        need chromedriver "the pages in a browser" chromium-driver chromium-chromedriver &&
        { { starts "$browsers" && starts chromedriver; } ||
            lacks "a browser that starts" "the pages" "chromium chromium-driver" \
                "in Ubuntu: snap install chromium"; } &&
        need npm "axe-core, which finds what not everybody can use" npm &&
        scripts/axe.sh
}

# cargo_test TARGETS… [-- TESTS…]
cargo_test() {
    local targets=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        targets+=("$1")
        shift
    done
    # Without `--package`, which would ask for other features and so compile most of it again.
    cargo test --locked --no-fail-fast "${targets[@]}" -- "${@:2}" "${TESTS[@]}"
}

# show PART: prints what a part prints, less the tests that pass, and notes those that fail.
show() {
    local line name headings=0
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        'test '*' ... ok' | 'test '*' ... ignored'*) continue ;;
        esac
        printf '%s\n' "$line"
        case $line in
        'test '*' ... FAILED')
            name=${line#test }
            name=${name% ... FAILED}
            printf 'FAILED: %s\n  repeat: ./scripts/test.sh %s -- --exact %q\n' "$name" "$1" "$name" |
                tee -a "$folder/failures"
            ;;
        # What they said stands below the first of two such headings.
        failures:) headings=$((headings + 1)) ;;
        *) [ $((headings % 2)) -eq 0 ] || printf '%s\n' "$line" >> "$folder/failures" ;;
        esac
    done
}

# run PART: with how long it took, and what failed.
run() {
    local part=$1 began=$SECONDS ended
    printf '\n== %s\n' "$part"
    "$part" 2>&1 | tee "$folder/$part.log" | show "$part"
    ended=${PIPESTATUS[0]}
    printf '%5d s  %s%s\n' $((SECONDS - began)) "$part" "$([ "$ended" -eq 0 ] || echo ': FAILED')" >> "$folder/times"
    if [ "$ended" -ne 0 ] && ! grep -q "test.sh $part -- " "$folder/failures"; then
        {
            echo "FAILED: $part"
            echo "  repeat: ./scripts/test.sh $part"
            tail --lines 30 "$folder/$part.log"
        } >> "$folder/failures"
    fi
    return "$ended"
}

# Tests make some hundred thousand files that need not outlive them.
room=$(df --output=avail /dev/shm 2> /dev/null | tail -1)
if [ -z "${TMPDIR:-}" ] && [ "${room:-0}" -gt 4000000 ]; then
    TMPDIR=$(mktemp --directory /dev/shm/ctxmem-test-XXXXXX)
    chmod 755 "$TMPDIR"
    trap 'rm -rf "$TMPDIR"' EXIT
    export TMPDIR
fi

TESTS=()
parts=()
while [ $# -gt 0 ]; do
    case $1 in
    all) parts+=("${CHANGE[@]}" "${REST[@]}") ;;
    --)
        TESTS=("${@:2}")
        break
        ;;
    *)
        if [[ " ${CHANGE[*]} ${REST[*]} " != *" $1 "* ]]; then
            echo "test.sh: expected all, or parts of ${CHANGE[*]} ${REST[*]}, and tests behind --" >&2
            exit 2
        fi
        parts+=("$1")
        ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=("${CHANGE[@]}")

folder=$target/test
rm -rf "$folder"
mkdir -p "$folder"
touch "$folder/failures" "$folder/times" "$folder/missing"
export MISSING=$folder/missing

# beside PART…: those of the parts to be run that wait, one after another, each line with its part.
beside() {
    local part
    for part; do
        [[ " ${WAITING[*]} " != *" $part "* ]] || run "$part" | sed -u "s/^./$part: &/"
    done
}

lint_by_compiling
compiled=
for part in "${parts[@]}"; do
    # What was compiled before has no need to wait for others who compile.
    [ -n "$compiled" ] && [[ " ${WAITING[*]} " == *" $part "* ]] && continue
    # What does not compile can't be tested.
    run "$part" || [ "$part" != build ] || break
    if [ "$part" = build ]; then
        compiled=yes
        beside "${parts[@]}" &
    fi
done
wait

not_run=()
for part in "${CHANGE[@]}" "${REST[@]}"; do
    grep -q "s  $part\(:\|$\)" "$folder/times" || not_run+=("$part")
done
printf '\n== what was run\n'
cat "$folder/times"
printf '%5d s  in all\n' "$SECONDS"
[ ${#not_run[@]} -eq 0 ] || echo "== what was not run: ${not_run[*]} (./scripts/test.sh all runs them)"
echo "== what is never run here: the long programmes (scripts/soak.sh); what takes Citus (scripts/citus.sh)"
has cargo-deny || echo "== advisories and licences were not checked (cargo install --locked cargo-deny)"
if [ -s "$folder/missing" ]; then
    echo "== what could not be had"
    cat "$folder/missing"
fi
if [ -s "$folder/failures" ]; then
    echo "== what failed"
    cat "$folder/failures"
fi
[ ! -s "$folder/missing" ] && [ ! -s "$folder/failures" ]
