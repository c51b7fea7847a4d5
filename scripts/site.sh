#!/usr/bin/env bash
# Makes a site with search of docs/, in Cargo's folder, and checks its links. Links between the documents
# themselves are checked by tests/conformance/links.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

version=0.5.4
tool=$target/tools/mdbook-$version
need python3 "links that leave docs/" python3
if [ ! -x "$tool/bin/mdbook" ]; then
    need cc "compiling mdBook" gcc
    # Without what serves a book, which is most of it.
    cargo install --quiet --locked --root "$tool" --no-default-features --features search "mdbook@$version"
fi
site=$target/site
"$tool/bin/mdbook" build docs --dest-dir "$site"
ls "$site"/searchindex*.js > /dev/null
python3 scripts/site.py check "$site"
echo "file://$site/index.html"
