#!/usr/bin/env bash
# The public interface of the crates that agents use, as text: `public-api.txt` in each. A change of it is seen in the
# file, and this says where they differ.
#   scripts/public_api.sh            fails where a file is stale, or the client has more than 40 names at its root
#   scripts/public_api.sh --write    writes the files
# The first run builds cargo-public-api, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

version=0.52.0
tool=$target/public-api-$version
[ -x "$tool/bin/cargo-public-api" ] ||
    cargo install --quiet --locked --root "$tool" "cargo-public-api@$version"
status=0
for crate in ctxmem-types ctxmem-cache-hints ctxmem-client; do
    # Rust's documentation as JSON is what a stable compiler has for nightly only.
    api() {
        RUSTC_BOOTSTRAP=1 RUSTC_WORKSPACE_WRAPPER='' "$tool/bin/cargo-public-api" --package "$crate" \
            --target-dir "$target/public-api" --color never -sss "$@"
    }
    if [ "${1:-}" = --write ]; then
        api --all-features > "$crate/public-api.txt"
    elif ! api --all-features | diff --unified=0 "$crate/public-api.txt" -; then
        echo "public_api.sh: $crate/public-api.txt is stale: scripts/public_api.sh --write" >&2
        status=1
    fi
done
names=$(grep --extended-regexp --only-matching '^(#\[.*\] )?pub [a-z ]*ctxmem_client::[A-Za-z_]+($|: |[^A-Za-z_:])' \
    ctxmem-client/public-api.txt | grep --only-matching 'ctxmem_client::[A-Za-z_]*' | sort --unique | wc -l)
echo "figure: the root of ctxmem-client: $names names"
[ "$names" -le 40 ] || { echo "public_api.sh: expected at most 40 names at the root" >&2; status=1; }
exit "$status"
