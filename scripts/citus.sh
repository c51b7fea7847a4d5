#!/usr/bin/env bash
# What is tested on Citus: the contract suite on a distributed database, where its statements go, and
# machines that are away, killed and added. Every test process makes a cluster of its own, of a
# coordinator and two workers, in temporary folders.
#   scripts/citus.sh [suite|statements|machines] [filter…]    all three without an argument
# Citus is looked for in this order:
#   CITUS_PG=DIR       the bin folder of a Postgres 15 to 17 that has Citus 13
#   CITUS_SOURCE=DIR   its source, which is built against the installed Postgres and installed there;
#                      about five minutes (Debian, Ubuntu: apt-get install postgresql-server-dev-15
#                      libcurl4-openssl-dev liblz4-dev libzstd-dev libssl-dev libkrb5-dev libicu-dev)
#   an installed Postgres that has it
#   docker             with the project's image, in which everything is built and run
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/need.sh

IMAGE=${CITUS_IMAGE:-citusdata/citus:13.0}

# Whether the Postgres whose bin folder this is has the extension.
has_citus() {
    [ -x "$1/postgres" ] && {
        compgen -G "$(dirname "$1")/share/extension/citus.control" ||
            compgen -G "$(dirname "$1")/share/postgresql/extension/citus.control" ||
            compgen -G "/usr/share/postgresql/$(basename "$(dirname "$1")")/extension/citus.control"
    } > /dev/null
}

installed() {
    local folder
    for folder in "${CITUS_PG:-}" /usr/lib/postgresql/*/bin /usr/local/bin /usr/local/pgsql/bin; do
        if [ -n "$folder" ] && has_citus "$folder"; then
            echo "$folder"
            return
        fi
    done
    return 1
}

build() {
    local folder header
    need make "building Citus" make
    need gcc "building Citus" gcc
    need pg_config "building Citus" libpq-dev
    folder=$(mktemp -d)
    # With its times: where configure.ac seems younger than what was made of it, make runs autoconf.
    cp -a "$CITUS_SOURCE/." "$folder"
    # Newer releases of Postgres 15 export what Citus 13 defines for older ones.
    header=$(pg_config --includedir-server)/commands/dbcommands.h
    if grep -q have_createdb_privilege "$header"; then
        sed -i 's/^have_createdb_privilege(void)$/unused_have_createdb_privilege(void)/' \
            "$folder/src/include/pg_version_compat.h"
    fi
    (cd "$folder" && ./configure && make -j"$(nproc)" && make install)
    rm -rf "$folder"
}

if [ -n "${CITUS_SOURCE:-}" ] && ! installed > /dev/null; then
    build
fi
if folder=$(installed); then
    export PATH="$folder:$PATH"
elif type -P docker > /dev/null; then
    exec docker run --rm --volume "$PWD:/ctxmem" --workdir /ctxmem \
        --env CARGO_TARGET_DIR=/ctxmem/target/citus --user root --entrypoint bash "$IMAGE" -c '
        apt-get update -q
        apt-get install -qy --no-install-recommends ca-certificates curl gcc libc6-dev make procps
        curl --proto "=https" -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal
        . "$HOME/.cargo/env"
        exec scripts/citus.sh "$@"' citus.sh "$@"
else
    echo "citus.sh: Citus is missing; install it, or name its source by CITUS_SOURCE or the bin" \
        "folder of a Postgres that has it by CITUS_PG, or install docker" >&2
    exit 1
fi

unpack pgrep "the processes of a Postgres to kill" procps

export CARGO_INCREMENTAL=0
part=${1:-all}
[ $# -eq 0 ] || shift
# A test of the suite copies a database on each node, and a busy machine copies slowly.
# Without `--package`, which would ask for other features and so compile most of it again.
suite() { CTXMEM_TEST_ENGINE=citus cargo test --locked --test contract -- --test-threads="$(nproc)" --skip files:: "$@"; }
statements() {
    cargo test --locked --lib store::citus -- --ignored --nocapture \
        --test-threads=2 "$@"
}
machines() {
    cargo test --locked --test citus -- --nocapture --test-threads=1 "$@"
}
case $part in
all)
    statements
    machines
    suite
    ;;
suite | statements | machines) "$part" "$@" ;;
*)
    echo "citus.sh: expected suite, statements or machines, or nothing" >&2
    exit 2
    ;;
esac
