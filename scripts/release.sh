#!/usr/bin/env bash
# Builds what a release is made of into target/release-artifacts/, and uses each piece before it calls it good.
#   scripts/release.sh PART…
#     crates     the published crates, packed, and used from the packed files by a project outside the workspace
#     semver     whether the version fits what changed in the crates' interfaces
#     notices    what dependencies may be, third-party notices, and the list of components (SBOM)
#     binaries   for x86-64 and arm64, for every glibc since 2.31, started on the Debian that has it
#     deb        the Debian packages: installed, upgraded, removed and purged in a Debian that systemd runs
#     image      the container image, started on a read-only root by a user without rights
#     upgrade    the last release and this one serve one Postgres side by side; a backup, and all databases kept of releases
#     all        all of these, in this order
#   scripts/release.sh databases  keeps what this release leaves on SQLite and Postgres, for the tests of later ones
#   CTXMEM_SERVER_BEFORE=FILE   `upgrade` takes this binary for the last release; otherwise it builds that of the last tag
#   CTXMEM_BASELINE=FOLDER      `semver` compares with the .crate files in it; otherwise with those on crates.io, or
#                               before the first release with those just packed
# It stops at the first thing that is wrong. All but the first three parts need root, for mounts and roots of Debian,
# and Debian or Ubuntu on x86-64.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

PARTS=(crates semver notices binaries deb image upgrade)
# Each after those that it needs, as they are published.
CRATES=(ctxmem-types ctxmem-cache-hints ctxmem-extract ctxmem-client ctxmem-rig ctxmem-mcp ctxmem-conformance
    ctxmem-server)
# Those whose interface other programs compile against, and the compiler alone can't tell.
INTERFACES=(ctxmem-types ctxmem-cache-hints ctxmem-client)
MACHINES=(x86_64 aarch64)
OLDEST_GLIBC=2.31
SERVER=(--locked --package ctxmem-server --features jemalloc)

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
out=$target/release-artifacts
tools=$target/tools
roots=$target/roots
export PATH=$tools/bin:$tools/python/bin:$PATH
mkdir -p "$out" "$roots"

work=$(mktemp --directory)
mounted=()
started=()
end() {
    local it
    # A machine that is starting does not hear a request to stop.
    for it in "${started[@]}"; do
        kill -KILL "$it" 2> /dev/null && wait "$it" 2> /dev/null || true
    done
    for it in "${mounted[@]}"; do
        umount --recursive --lazy "$it" 2> /dev/null || true
    done
    rm -rf --one-file-system "$work"
}
trap end EXIT

figure() { echo "figure: $*"; }
fail() {
    echo "release.sh: $*" >&2
    exit 1
}
# A bare ! would let the script go on.
refused() { ! "$@"; }
bytes() { du --bytes --summarize "$1" | cut --fields 1; }
# at_most LIMIT NUMBER WHAT
at_most() {
    figure "$3: $2 (at most $1)"
    [ "$2" -le "$1" ] || fail "$3: $2 is more than $1"
}
as_root() { [ "$(id -u)" -eq 0 ] || fail "the part $1 has to be run by root"; }

# tool NAME VERSION: a program of crates.io, built once.
tool() {
    grep --quiet "^\"$1 $2 " "$tools/.crates.toml" 2> /dev/null ||
        cargo install --quiet --locked --root "$tools" "$1@$2"
}

# mount_at FOLDER OPTIONS…: until the script ends.
mount_at() {
    mkdir -p "$1"
    mount "${@:2}" "$1"
    mounted=("$1" "${mounted[@]}")
}

# debian SUITE MACHINE [PACKAGE,…]: prints the folder of a Debian that was made once. That of another machine is
# only unpacked.
debian() {
    local root=$roots/$1-$2
    if [ ! -e "$root.made" ]; then
        rm -rf "$root"
        need debootstrap "a Debian to try the binaries on" debootstrap >&2
        need_file /usr/share/keyrings/debian-archive-keyring.gpg "what signs Debian" debian-archive-keyring >&2
        local options=(--variant=minbase --arch="$2" ${3:+--include="$3"})
        [ "$2" = "$(dpkg --print-architecture)" ] || options+=(--foreign)
        debootstrap "${options[@]}" "$1" "$root" >&2
        touch "$root.made"
    fi
    echo "$root"
}

# writable ROOT: prints a folder where a root can be changed, and is as before when the script ends. It is called
# without a subshell, and leaves the folder in $changed.
writable() {
    changed=$work/root-${#mounted[@]}
    mount_at "$changed.layer" -t tmpfs none
    mkdir "$changed.layer/upper" "$changed.layer/work"
    mount_at "$changed" -t overlay overlay -o "lowerdir=$1,upperdir=$changed.layer/upper,workdir=$changed.layer/work"
}

# turn NAME COMMAND…: starts the server that the command runs, makes a first turn with the key that it prints, runs
# the command `check` if there is one, and ends it as systemd and Kubernetes do.
turn() {
    local name=$1 log=$work/$1.log process key began=$EPOCHREALTIME
    shift
    local port
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    export CTXMEM_LISTEN=127.0.0.1:$port CTXMEM_BASE_URL=http://127.0.0.1:$port
    "$@" --json > "$log" 2>&1 &
    process=$!
    started+=("$process")
    until curl --silent --fail --output /dev/null "$CTXMEM_BASE_URL/readyz"; do
        kill -0 "$process" 2> /dev/null || { cat "$log" >&2; fail "$name: ended before it was ready"; }
        sleep 0.05
    done
    figure "$name: ready after $(python3 -c "print(round(1000 * ($EPOCHREALTIME - $began)))") ms"
    key=$(grep --only-matching 'ctxm_[A-Za-z0-9_-]*' "$log" | head -1)
    CTXMEM_API_KEY=$key bash ctxmem-server/templates/dashboard/first_turn.sh > "$work/turn" 2> /dev/null
    CTXMEM_API_KEY=$key bash ctxmem-server/templates/dashboard/first_turn.sh > "$work/turn" 2> /dev/null
    grep --quiet 'Lisbon' "$work/turn" || { cat "$work/turn" >&2; fail "$name: the second turn knows nothing of the first"; }
    "${check[@]}" > /dev/null || fail "$name: ${check[*]}"
    kill -TERM "$process"
    wait "$process" || { cat "$log" >&2; fail "$name: SIGTERM ended it with $?"; }
    figure "$name: injects what the turn before told it; SIGTERM ends it with 0"
}
check=(true)

# The crates as their users get them.
unpack_crates() {
    local crate
    for crate in "${CRATES[@]}"; do
        tar --extract --gzip --file "$out/crates/$crate-$version.crate" --directory "$1"
    done
}

crates() {
    local crate file folder patches=()
    # Whoever adds a crate decides whether it is published.
    diff <(cargo metadata --no-deps --format-version 1 |
        python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["packages"] if p["publish"] is None]' |
        sort) <(printf '%s\n' "${CRATES[@]}" | sort) || fail "what Cargo would publish is not the list in this script"
    cargo publish --dry-run --quiet --locked "${CRATES[@]/#/--package=}"
    cargo package --no-verify --quiet --locked "${CRATES[@]/#/--package=}"
    mkdir -p "$out/crates" "$work/crates"
    for crate in "${CRATES[@]}"; do
        cp "$target/package/$crate-$version.crate" "$out/crates/"
        # What crates.io takes is 10 MB.
        at_most 2000000 "$(bytes "$out/crates/$crate-$version.crate")" "$crate-$version.crate, bytes"
        folder=$work/crates/$crate-$version
        patches+=(--config "patch.crates-io.$crate.path='$folder'")
    done
    unpack_crates "$work/crates"
    for crate in "${CRATES[@]}"; do
        for file in README.md LICENSE-MIT LICENSE-APACHE; do
            # A readme from another folder keeps its own name.
            [ -s "$work/crates/$crate-$version/$file" ] ||
                { [ "$file" = README.md ] && [ "$crate" = ctxmem-conformance ]; } || fail "$crate: no $file in the package"
        done
    done

    # As `cargo install` and `cargo add` do it, with these packages in place of those on crates.io.
    for crate in ctxmem-server ctxmem-mcp ctxmem-conformance; do
        (
            cd "$work/crates/$crate-$version"
            cargo metadata --quiet --format-version 1 "${patches[@]}" > /dev/null
            CARGO_TARGET_DIR=$target cargo install --quiet --debug --locked --path . --root "$work/installed" "${patches[@]}"
        )
    done
    mkdir -p "$work/empty/src"
    cp ctxmem-server/templates/dashboard/first_turn.rs "$work/empty/src/main.rs"
    cp Cargo.lock "$work/empty/"
    cat > "$work/empty/Cargo.toml" << TOML
[package]
name = "empty"
version = "0.0.0"
edition = "2024"

[dependencies]
ctxmem-client = "$version"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
TOML
    (cd "$work/empty" && CARGO_TARGET_DIR=$target cargo build --quiet "${patches[@]}")
    (
        export CTXMEM_SERVER=$work/installed/bin/ctxmem-server
        # shellcheck source=scripts/server.sh
        . scripts/server.sh
        on_a_server "$target/debug/empty" > "$work/said"
        grep --quiet '^2 facts learned' "$work/said" || fail "the empty project learned nothing: $(cat "$work/said")"
        as_the_key() { CTXMEM_CONTRACT_URL=$CTXMEM_BASE_URL CTXMEM_CONTRACT_KEY=$CTXMEM_API_KEY "$@"; }
        on_a_server as_the_key "$work/installed/bin/ctxmem-conformance" > "$work/said"
        figure "crates: the packed ctxmem-conformance finds no rule broken by the packed ctxmem-server"
    )
    figure "crates: ${#CRATES[@]} built from the packed files, and used by an empty project"
}

semver() {
    tool cargo-semver-checks 0.51.0
    local crate packed baseline=()
    if [ -n "${CTXMEM_BASELINE:-}" ]; then
        packed=$CTXMEM_BASELINE
    elif ! cargo info --quiet --registry crates-io "${INTERFACES[0]}" > /dev/null 2>&1; then
        packed=$out/crates
    fi
    if [ -n "${packed:-}" ]; then
        mkdir "$work/baseline"
        for crate in "${INTERFACES[@]}"; do
            mkdir "$work/baseline/$crate"
            tar --extract --gzip --strip-components 1 --file "$packed/$crate"-[0-9]*.crate \
                --directory "$work/baseline/$crate"
        done
        # Each with its siblings of then.
        sed --in-place 's|^\[dependencies\.\(ctxmem-.*\)\]|&\npath = "../\1"|' "$work"/baseline/*/Cargo.toml
    fi
    for crate in "${INTERFACES[@]}"; do
        baseline=(${packed:+--baseline-root "$work/baseline/$crate"})
        cargo semver-checks --quiet --package "$crate" --all-features "${baseline[@]}" || fail "$crate: see above"
        figure "semver: $crate: the version fits"
    done
}

notices() {
    tool cargo-deny 0.20.2
    tool cargo-cyclonedx 0.5.9
    cargo deny --locked check
    figure "deny: advisories, bans, licences and sources are in order"

    python3 scripts/notices.py "${SERVER[@]}" > "$out/THIRD-PARTY.txt"
    figure "notices: $(grep --count '^== ' "$out/THIRD-PARTY.txt") packages, $(bytes "$out/THIRD-PARTY.txt") bytes"

    # It writes beside the manifest of each package that it is asked for.
    local name=ctxmem-server-$version
    cargo cyclonedx --quiet --manifest-path ctxmem-server/Cargo.toml --features jemalloc --format json \
        --no-build-deps --target all --override-filename "$name.cdx"
    mv "ctxmem-server/$name.cdx.json" "$out/"
    find "$PWD" -path "$target" -prune -o -name "$name.cdx.json" -exec rm {} +
    # Each of the two was made by a program of its own, from what Cargo resolves.
    python3 - "$out" "$name" << 'PYTHON'
import json, pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
noticed = set(re.findall(r"^== (\S+ \S+):", (folder / "THIRD-PARTY.txt").read_text(), re.M))
listed = json.loads((folder / f"{sys.argv[2]}.cdx.json").read_text())["components"]
listed = {f"{it['name']} {it['version']}" for it in listed if not it["name"].startswith("ctxmem-")}
if missing := noticed - listed:
    sys.exit(f"the list of components lacks {sorted(missing)}")
print(f"figure: SBOM: {len(listed)} components, all {len(noticed)} that have notices among them")
PYTHON
}

# built MACHINE: where the build puts what is made for a machine.
built() { echo "$target/$1-unknown-linux-gnu/dist"; }
debian_name() { case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; esac; }

zig() {
    local packages=(cargo-zigbuild==0.24.1 ziglang==0.17.1)
    [ "$(cat "$tools/python/packages" 2> /dev/null)" != "${packages[*]}" ] || return 0
    need_module ensurepip "zig, which links for an old C library" python3-venv
    python3 -m venv --clear "$tools/python"
    "$tools/python/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
    echo "${packages[*]}" > "$tools/python/packages"
}

# What lies beside the binary in a package: see ctxmem-server/Cargo.toml.
papers() {
    local folder=$1/debian
    rm -rf "$folder"
    mkdir "$folder"
    cp "$target/manual"/* "$folder/"
    gzip --no-name --best "$folder"/*.1
    # The database and the key lie where the unit and the package put them.
    sed -e 's|^#database-url = .*|database-url = "sqlite:///var/lib/ctxmem/ctxmem.db"|' \
        -e 's|^#master-key-file = .*|master-key-file = "/etc/ctxmem/master.key"|' deploy/ctxmem.toml > "$folder/ctxmem.toml"
    {
        echo "ctxmem-server, https://github.com/ctxmem/ctxmem, MIT or Apache-2.0, as you like:"
        echo
        cat LICENSE-MIT
        echo
        cat LICENSE-APACHE
        echo
        cat "$out/THIRD-PARTY.txt"
    } > "$folder/copyright"
}

binaries() {
    as_root binaries
    zig
    need qemu-aarch64-static "starting what is built for arm64" qemu-user-static
    need make "building the allocator" make
    local machine binary newest name root pages
    rm -rf "$target/manual"
    cargo run --quiet --locked --package ctxmem-server --example manual -- "$target/manual"
    for machine in "${MACHINES[@]}"; do
        rustup target add "$machine-unknown-linux-gnu" 2> /dev/null
        # Some ARM machines have memory pages of 64 KiB, which the allocator can't learn from this one.
        pages=()
        [ "$machine" = x86_64 ] || pages=(JEMALLOC_SYS_WITH_LG_PAGE=16)
        env "${pages[@]}" cargo zigbuild --quiet --profile dist "${SERVER[@]}" \
            --target "$machine-unknown-linux-gnu.$OLDEST_GLIBC"
        binary=$(built "$machine")/ctxmem-server
        newest=$(grep --text --only-matching 'GLIBC_2\.[0-9]*' "$binary" | sed 's/GLIBC_//' | sort --version-sort | tail -1)
        [ "$(printf '%s\n' "$newest" $OLDEST_GLIBC | sort --version-sort | tail -1)" = $OLDEST_GLIBC ] ||
            fail "$machine: needs glibc $newest"
        at_most 45000000 "$(bytes "$binary")" "$machine, bytes (glibc $newest or later)"

        # Debian 11 has glibc 2.31.
        root=$(debian bullseye "$(debian_name "$machine")")
        writable "$root"
        cp "$binary" "$changed/usr/bin/"
        if [ "$machine" = x86_64 ]; then
            turn "$machine" chroot "$changed" ctxmem-server --database-url sqlite:///tmp/a.db
        else
            turn "$machine" qemu-aarch64-static -L "$changed" "$binary" --database-url "sqlite://$changed/tmp/a.db"
        fi

        papers "$(built "$machine")"
        name=ctxmem-server-$version-$machine-linux
        mkdir "$work/$name"
        cp "$binary" LICENSE-MIT LICENSE-APACHE "$out/THIRD-PARTY.txt" deploy/ctxmem.service deploy/ctxmem.toml "$work/$name"
        cp -r "$target/manual" "$work/$name/manual"
        # The same sources give the same archive.
        tar --create --sort name --owner 0 --group 0 --numeric-owner --mtime "@$(git log -1 --format=%ct)" \
            --directory "$work" "$name" | gzip --no-name --best > "$out/$name.tar.gz"
        figure "$name.tar.gz: $(bytes "$out/$name.tar.gz") bytes"
    done
}

# in_machine [COMMANDS]: runs what stands on stdin in the machine that `boot` started.
in_machine() {
    nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup /bin/bash -Eeuo pipefail -s
}

# boot ROOT: starts Debian with systemd.
boot() {
    systemd-nspawn --quiet --boot --directory "$1" --register=no --keep-unit --private-network --link-journal=no \
        --machine ctxmem-release < /dev/null > "$work/boot.log" 2>&1 &
    local nspawn=$!
    started+=("$nspawn")
    for _ in $(seq 600); do
        leader=$(pgrep --parent "$nspawn" | tail -1) || true
        if [ -n "$leader" ] && echo 'systemctl is-system-running' | in_machine 2> /dev/null |
            grep --extended-regexp 'running|degraded' > /dev/null; then
            # It would outlive the program that started it.
            started=("$leader" "${started[@]}")
            return
        fi
        sleep 0.2
    done
    tail "$work/boot.log" >&2
    fail "systemd does not start"
}

deb() {
    as_root deb
    tool cargo-deb 3.8.0
    need systemd-nspawn "a machine to install the package on" systemd-container
    need pgrep "finding its first process" procps
    local machine root
    package() {
        cargo deb --quiet --no-build --no-strip --profile dist --package ctxmem-server "$@" > /dev/null
    }
    for machine in "${MACHINES[@]}"; do
        package --target "$machine-unknown-linux-gnu" --output "$out"
        figure "$(cd "$out" && ls --size --block-size=1 ctxmem-server_*_"$(debian_name "$machine")".deb)"
    done
    root=$(debian bookworm amd64 systemd-sysv,dbus,curl,procps)
    writable "$root"
    cp "$out/ctxmem-server_$version-1_amd64.deb" "$changed/opt/this.deb"
    package --target x86_64-unknown-linux-gnu --deb-version "$version-2" --output "$changed/opt/next.deb"
    cp ctxmem-server/templates/dashboard/first_turn.sh "$changed/opt/turn.sh"
    boot "$changed"
    in_machine << 'MACHINE'
wrong() { echo "release.sh: $*" >&2; journalctl --unit ctxmem --no-pager --lines 20 >&2; exit 1; }
trap 'wrong "line $LINENO: $BASH_COMMAND"' ERR
up() { curl --silent --fail --retry 50 --retry-connrefused --retry-delay 1 --output /dev/null http://127.0.0.1:8080/readyz; }
knows() {
    CTXMEM_API_KEY=$key CTXMEM_BASE_URL=http://127.0.0.1:8080 bash /opt/turn.sh 2> /dev/null | grep Lisbon > /dev/null
}
of() { stat --format '%U:%G %a' "$1"; }
refused() { ! "$@"; }
main() { systemctl show --property MainPID --value ctxmem; }

dpkg --install /opt/this.deb > /opt/install.log
grep -q 'Keep a copy' /opt/install.log
[ "$(of /etc/ctxmem/master.key)" = 'root:root 600' ]
[ "$(of /var/lib/ctxmem)" = 'ctxmem:ctxmem 700' ]
up
[ "$(stat --format %U /proc/$(main))" = ctxmem ]
journalctl --unit ctxmem --no-pager | grep ctxm_ > /dev/null
for file in /usr/share/man/man1/ctxmem-server.1.gz /usr/share/bash-completion/completions/ctxmem-server \
    /usr/share/zsh/vendor-completions/_ctxmem-server /usr/share/fish/vendor_completions.d/ctxmem-server.fish; do
    [ -s "$file" ]
done
grep -q '^== tikv-jemalloc-sys' /usr/share/doc/ctxmem-server/copyright
echo "figure: deb: installed; runs as ctxmem, with a key of its own; pages, completions and notices are there"

# What the unit forbids is forbidden.
unit=$(systemctl show --property FragmentPath --value ctxmem)
# It says what it does not know, and exits as if all were well.
[ -z "$(systemd-analyze verify --man=no "$unit" 2>&1)" ]
grep -q '^NoNewPrivs:.1' /proc/$(main)/status
grep -q '^Seccomp:.2' /proc/$(main)/status
grep -q '^CapBnd:.0000000000000000' /proc/$(main)/status
grep -q ' / / ro' /proc/$(main)/mountinfo
refused nsenter --target "$(main)" --mount touch /etc/forbidden 2> /dev/null
systemd-analyze security --threshold=20 --no-pager ctxmem | tail -1 | sed 's/^[^O]*/figure: deb: the unit, while it runs: /'

key=$(ctxmem-server --config /etc/ctxmem/ctxmem.toml agent create --name package --json |
    grep -o 'ctxm_[A-Za-z0-9_-]*')
knows || knows
systemctl reload ctxmem
up
master=$(sha256sum /etc/ctxmem/master.key)
echo '# Written by hand.' >> /etc/ctxmem/ctxmem.toml
before=$(main)
dpkg --install /opt/next.deb > /dev/null
up
[ "$(main)" != "$before" ]
[ "$(sha256sum /etc/ctxmem/master.key)" = "$master" ]
grep -q 'Written by hand' /etc/ctxmem/ctxmem.toml
knows
echo "figure: deb: upgraded; restarted with the same key, configuration and data"

dpkg --remove ctxmem-server > /dev/null
[ ! -e /usr/bin/ctxmem-server ]
[ -s /var/lib/ctxmem/ctxmem.db ]
journalctl --unit ctxmem --no-pager | tail -5 | grep 'Deactivated successfully' > /dev/null
dpkg --install /opt/next.deb > /dev/null
up
[ "$(sha256sum /etc/ctxmem/master.key)" = "$master" ]
knows
echo "figure: deb: removed, which stopped it cleanly and kept the data; installed again on them"

dpkg --purge ctxmem-server > /opt/purge.log
grep -q 'removing all user data' /opt/purge.log
refused getent passwd ctxmem > /dev/null
left=$(find / -xdev -name '*ctxmem*' ! -path '/var/log/*' ! -path '/proc/*')
[ -z "$left" ] || wrong "purging left $left"
echo "figure: deb: purged; nothing of it is left"
MACHINE
    echo 'systemctl poweroff' | in_machine
    wait "${started[-1]}" || true
}

image() {
    as_root image
    need buildah "the container image" buildah
    need python3 "reading its configuration" python3
    local base=docker.io/library/rust:1.95-bookworm container root
    # Neither asks for a daemon, nor for rights that a container may lack.
    export BUILDAH_ISOLATION=chroot
    images() { buildah --storage-driver vfs --root "$work/images" --runroot "$work/images.run" "$@"; }
    images pull --quiet "$base" > /dev/null 2>&1 || stand_in "$base"
    # The format OCI has no health check.
    images build --quiet --format docker --file deploy/Containerfile --tag "ctxmem-server:$version" \
        --build-arg CTXMEM_COMMIT="$(git rev-parse --short=12 HEAD)" . > "$work/image.log" ||
        { tail "$work/image.log" >&2; fail "the image can't be built"; }
    images inspect --type image "ctxmem-server:$version" | python3 -c '
import json, sys
config = json.load(sys.stdin)["Docker"]["config"]
expected = {"User": "65532:65532", "WorkingDir": "/data", "Entrypoint": ["/ctxmem-server"], "Volumes": {"/data": {}}}
wrong = {name: config.get(name) for name in expected if config.get(name) != expected[name]}
if config["Healthcheck"]["Test"] != ["CMD", "/ctxmem-server", "healthcheck"]:
    wrong["Healthcheck"] = config["Healthcheck"]
sys.exit(f"release.sh: the image has {wrong}" if wrong else 0)'
    container=$(images from --pull-never "ctxmem-server:$version")
    root=$(images mount "$container")
    mounted=("$root" "${mounted[@]}")
    at_most 45000000 "$(bytes "$root")" "image, bytes"

    # As an engine starts it with --read-only: only /data and /tmp can be written.
    mount_at "$work/container" --bind "$root"
    mount -o remount,bind,ro "$work/container"
    mount_at "$work/container/data" -t tmpfs -o mode=0700,uid=65532,gid=65532 none
    mount_at "$work/container/tmp" -t tmpfs none
    local run=(chroot --userspec=65532:65532 --groups= "$work/container")
    refused "${run[@]}" /ctxmem-server --database-url sqlite:///elsewhere.db > "$work/elsewhere" 2>&1 ||
        fail "the root of the image can be written"
    check=("${run[@]}" /ctxmem-server healthcheck)
    turn image "${run[@]}" /ctxmem-server --database-url sqlite:///data/ctxmem.db
    refused "${check[@]}" > /dev/null 2>&1 || fail "the health check passes without a server"
    check=(true)
    figure "image: runs as 65532 on a read-only root; the health check passes with the server and fails without"
    local archive=ctxmem-server-$version-image.tar
    # An archive that is there already is not changed.
    rm -f "$out/$archive"
    images push --quiet "ctxmem-server:$version" "docker-archive:$out/$archive:ctxmem-server:$version"
    figure "$archive: $(bytes "$out/$archive") bytes"
}

# stand_in IMAGE: where no registry can be reached, Debian without a compiler stands in for the image to build in, and
# its cargo hands over the binary that the part `binaries` built.
stand_in() {
    local root
    root=$(debian bookworm amd64 systemd-sysv,dbus,curl,procps)
    figure "image: $1 can't be had, and the binary of the part binaries is packed instead of one built in it"
    writable "$root"
    cp "$(built x86_64)/ctxmem-server" "$changed/opt/"
    printf '#!/bin/sh\nset -e\nmkdir -p target/dist\ncp /opt/ctxmem-server target/dist/\n' > "$changed/usr/local/bin/cargo"
    chmod +x "$changed/usr/local/bin/cargo"
    container=$(images from scratch)
    images copy --quiet "$container" "$changed" / > /dev/null
    images config --env PATH=/usr/local/bin:/usr/bin:/bin "$container"
    images commit --quiet "$container" "$1" > /dev/null
    images rm "$container" > /dev/null
}

# upgrades ARGUMENT…: runs tests of `upgrade`, with their figures.
upgrades() {
    cargo test --quiet --locked --package ctxmem-server --test process -- --nocapture "$@" > "$work/tests" 2>&1 ||
        { cat "$work/tests" >&2; fail "upgrade: see above"; }
    sed --quiet 's/^.*figure: /figure: /p' "$work/tests"
}

upgrade() {
    local tag
    need initdb "a database for both" postgresql
    upgrades upgrade::
    if [ -z "${CTXMEM_SERVER_BEFORE:-}" ]; then
        # Not the tag of this release.
        tag=$(git describe --tags --abbrev=0 --match 'v*' "HEAD$(git describe --exact-match --match 'v*' > /dev/null 2>&1 && echo ^)" 2> /dev/null) || true
        if [ -z "$tag" ]; then
            figure "upgrade: nothing was released before, so no rolling upgrade was tried"
            return
        fi
        git worktree add --quiet --force --detach "$work/before" "$tag"
        (cd "$work/before" && CARGO_TARGET_DIR=$target/before cargo build --quiet --locked --bin ctxmem-server)
        git worktree remove --force "$work/before"
        CTXMEM_SERVER_BEFORE=$target/before/debug/ctxmem-server
    fi
    export CTXMEM_SERVER_BEFORE
    upgrades --ignored --exact upgrade::a_rolling_upgrade_loses_nothing_and_serves_nothing_stale
}

# It is committed with the release.
databases() {
    need initdb "the database to keep" postgresql
    export CTXMEM_RELEASE_FOLDER=$PWD/ctxmem-server/tests/releases/$version
    [ ! -e "$CTXMEM_RELEASE_FOLDER" ] || fail "databases: $CTXMEM_RELEASE_FOLDER is there already"
    upgrades --ignored --exact upgrade::the_databases_of_a_release_are_made
    figure "databases: $(bytes "$CTXMEM_RELEASE_FOLDER") bytes"
}

main() {
    local part
    [ $# -gt 0 ] || set -- help
    if [ "$*" = databases ]; then
        databases
        return
    fi
    [ "$*" != all ] || set -- "${PARTS[@]}"
    for part; do
        [[ " ${PARTS[*]} " == *" $part "* ]] || { echo "release.sh: expected all, or some of ${PARTS[*]}" >&2; exit 2; }
    done
    for part; do
        echo "== $part"
        "$part"
    done
    (cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum > SHA256SUMS)
}

main "$@"
