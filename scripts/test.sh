#!/usr/bin/env bash
# Everything that a change must pass, on a machine that has only Rust: formatting, lints,
# every test, the documentation, the examples. Installs what the tests need where it is
# missing (by apt, as root or by sudo; otherwise it says what to install).
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/need.sh

# Only what tests run can be stopped at failpoints.
no_failpoints_without_tests() {
    ! cargo tree --locked --package ctxmem-server --edges features,no-dev |
        grep 'feature "failpoints"'
}

# What published crates turn on in `serde_json` would be turned on for everybody who uses them.
no_features_of_serde_json() {
    ! cargo tree --locked --package ctxmem-types --package ctxmem-client --all-features \
        --edges features,no-dev --invert serde_json |
        grep -E 'serde_json feature "(preserve_order|float_roundtrip|arbitrary_precision)"'
}

step() {
    local began=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    printf '== took %d s\n' $((SECONDS - began))
}

# What each crate keeps for its next build takes longer to write than a first build gains.
export CARGO_INCREMENTAL=0

need cc gcc       # SQLite and the TLS library are compiled from C
need make make    # the allocator, jemalloc, is built by it
need curl curl    # the calls that a first start prints
need kill procps  # signals to the server
need pgrep procps # the processes of a Postgres to kill
need strace strace # what the server writes and flushes
need openssl openssl       # a certificate for Postgres
# The pages are tested in a browser.
need 'chromium|chromium-browser|google-chrome' chromium chromium-browser
need chromedriver chromium-driver chromium-chromedriver
need npm npm               # what checks that everybody can use them
need node nodejs           # the quickstarts in TypeScript and Python are run
need python3 python3
if [ -z "${CTXMEM_TEST_POSTGRES_URL:-}" ]; then
    need initdb postgresql # the tests start a server of their own
fi
need pgbouncer pgbouncer   # a pooler in front of Postgres
need promtool prometheus   # metrics and alert rules, as Prometheus reads them

step scripts/axe.sh
step scripts/inspector.sh
step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- --deny warnings
step no_failpoints_without_tests
step no_features_of_serde_json
# It asks for advisories on the internet, which not every machine has.
if cargo deny --version > /dev/null 2>&1; then
    step cargo deny --locked check
else
    echo "test.sh: cargo-deny is not installed; the workflow on GitHub checks advisories and licences"
fi
RUSTDOCFLAGS="--deny warnings" step cargo doc --workspace --no-deps --locked \
    --features ctxmem-client/blocking,ctxmem-client/async-openai,ctxmem-client/durable,ctxmem-client/test-utils
# The tests turn its features on: without them it has to compile as well.
for features in "" rustls blocking async-openai durable test-utils; do
    step cargo check --package ctxmem-client --locked --no-default-features --features "$features"
done
step cargo test --workspace --all-targets --locked
step cargo test --workspace --doc --locked
# The program alone, and what a server takes of it.
for features in "" stdio http; do
    step cargo check --package ctxmem-mcp --locked --no-default-features --features "$features"
done
step cargo package --package ctxmem-types --package ctxmem-client --package ctxmem-rig --package ctxmem-mcp \
    --no-verify --locked --allow-dirty
# Without `--package`, which would ask for other features and so compile most of it again.
for example in quickstart grants rig; do
    step cargo run --quiet --locked --example "$example"
done
step scripts/schemathesis.sh
step scripts/deploy.sh
echo
echo "test.sh: what takes Citus was not run (databases that are distributed over several machines);"
echo "test.sh: scripts/citus.sh runs it, where Citus 13 is installed, or its source, or docker"
