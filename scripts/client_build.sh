#!/usr/bin/env bash
# What the Rust client takes to build from nothing, beside reqwest, which most agents have anyway: the processor's time
# of all crates over that of those which a program with reqwest alone has, of the same build. It takes some two minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
folder=$(mktemp --directory)
trap 'rm -r "$folder"' EXIT

# program NAME DEPENDENCY: one that does nothing.
program() {
    mkdir --parents "$folder/$1/src"
    touch "$folder/$1/src/lib.rs"
    cp Cargo.lock "$folder/$1/"
    printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n%s\n[workspace]\n' "$1" "$2" \
        > "$folder/$1/Cargo.toml"
}

features='"json", "charset", "http2", "rustls"'
program alone "reqwest = { version = \"0.13\", default-features = false, features = [$features] }"
program client "ctxmem-client = { path = \"$project/ctxmem-client\" }"
(cd "$folder/alone" && cargo tree --quiet --prefix none --no-dedupe --format '{lib}' --edges normal,build) |
    sort --unique > "$folder/names"
# One crate at a time, so that time is the processor's.
(cd "$folder/client" && CARGO_TARGET_DIR=$folder/target cargo build --quiet --jobs 1 --timings)
python3 - "$folder/names" "$folder"/target/cargo-timings/cargo-timing-2*.html << 'END'
import json, re, sys
names = {name.strip().replace("_", "-") for name in open(sys.argv[1])}
page = open(sys.argv[2]).read()
units = json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);\n", page, re.DOTALL).group(1))
whole = sum(unit["duration"] for unit in units)
own = sum(unit["duration"] for unit in units if unit["name"].replace("_", "-") not in names)
print(f"figure: build of the client: {whole:.0f} s, {whole / (whole - own):.3f} times that of reqwest")
END
