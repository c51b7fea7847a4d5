#!/usr/bin/env bash
# axe-core for the tests of the pages: fetched once, by npm, into Cargo's folder. Its version is
# pinned, and so are its bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.14.1
sha512=1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5
folder="${CARGO_TARGET_DIR:-target}/axe"
package="$folder/axe-core-$version.tgz"

mkdir -p "$folder"
if ! sha512sum --check --status <<< "$sha512  $package" 2> /dev/null; then
    npm pack "axe-core@$version" --pack-destination "$folder" --loglevel=error --fetch-retries=1 > /dev/null || {
        echo "axe.sh: npm could not fetch axe-core@$version, which checks that everybody can use the pages" >&2
        exit 1
    }
    sha512sum --check --quiet <<< "$sha512  $package"
fi
tar -xzOf "$package" package/axe.min.js > "$folder/axe.min.js"
