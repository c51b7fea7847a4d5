# To be sourced, at the project's root: the programs that a script needs, where they are missing. What
# only tests call is unpacked into Cargo's folder, so that the system gets no service of it and nobody
# has to be root; compilers, browsers and languages are installed by apt, as root or by sudo.
# shellcheck shell=bash

target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
# jemalloc can't be built in a folder with a space.
if [[ $target == *' '* ]]; then
    target=${XDG_CACHE_HOME:-$HOME/.cache}/ctxmem/target-$(cksum <<< "$target" | cut -d ' ' -f 1)
    export CARGO_TARGET_DIR=$target
fi

# Postgres and PgBouncer refuse to run as root. Tests that root starts run them as somebody else, to whom
# root's home may be closed.
programs=$target/programs
if [ "$(id -u)" -eq 0 ]; then
    mkdir -p "$target"
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$target" 2> /dev/null ||
        programs=/var/cache/ctxmem-programs
fi
# npm says what fails, and does not try the same again for a quarter of an hour.
export npm_config_loglevel=error npm_config_fund=false npm_config_audit=false npm_config_fetch_retries=1
# Debian keeps the programs of servers out of PATH.
export PATH=$PATH:/usr/sbin:$programs/bin

# has PROGRAM[|PROGRAM]: one of them is there.
has() {
    local program
    local -a names
    IFS='|' read -ra names <<< "$1"
    for program in "${names[@]}"; do
        if type -P "$program" > /dev/null || compgen -G "/usr/lib/postgresql/*/bin/$program" > /dev/null; then
            return
        fi
    done
    return 1
}

# lacks PROGRAM PURPOSE PACKAGE [PACKAGE]: says what could not be had, and how to get it.
lacks() {
    echo "${0##*/}: '$1' is missing, which is for $2: install it (Debian, Ubuntu: apt-get install $3${4:+, or $4})" |
        tee -a "${MISSING:-/dev/null}" >&2
    return 1
}

# need PROGRAM[|PROGRAM] PURPOSE PACKAGE [PACKAGE]: one of the programs is there, or the first of the
# packages that apt knows gets installed: Debian and Ubuntu don't call all of them the same.
need() {
    has "$1" || { install_package "${@:3}" && has "$1"; } || lacks "${1%%|*}" "${@:2}"
}

# need_file FILE PURPOSE PACKAGE: the file is there, or the package gets installed.
need_file() {
    [ -e "$1" ] || { install_package "$3" && [ -e "$1" ]; } || lacks "$@"
}

# starts PROGRAM[|PROGRAM]: one of them is there and says its version. What Ubuntu calls a browser's package is a
# script that asks for a snap.
starts() {
    local program
    local -a names
    IFS='|' read -ra names <<< "$1"
    for program in "${names[@]}"; do
        if "$program" --version > /dev/null 2>&1; then
            return
        fi
    done
    return 1
}

# need_module MODULE PURPOSE PACKAGE: Python has the module, or the package gets installed.
need_module() {
    python3 -c "import $1" 2> /dev/null || install_package "$3" || lacks "$@"
}

# unpack PROGRAM PURPOSE PACKAGE: the program is there, or the package gets unpacked, with those that it
# needs and this system has not.
unpack() {
    has "$1" || { unpack_package "$3" && has "$1"; } || lacks "$@"
}

# install_package PACKAGE [PACKAGE]
install_package() {
    local package=$1 root=()
    command -v apt-get > /dev/null || return
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo > /dev/null && sudo -n true 2> /dev/null || return
        root=(sudo -n)
    fi
    "${root[@]}" apt-get update -q || return
    if [ $# -gt 1 ] && ! apt-cache show "$package" > /dev/null 2>&1; then
        package=$2
    fi
    DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -qy --no-install-recommends "$package"
}

# unpack_package PACKAGE: apt works in folders of its own, for which it needs nobody's leave.
unpack_package() {
    local folder=$programs/apt archive program
    command -v apt-get > /dev/null || return
    mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$programs/bin" "$programs/root" || return
    local options=(-q -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder" -o Debug::NoLocking=1
        -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update &&
        apt-get "${options[@]}" install --yes --no-install-recommends --download-only "$1" || return
    for archive in "$folder"/archives/*.deb; do
        dpkg -x "$archive" "$programs/root" && rm "$archive" || return
    done
    local libraries
    libraries=$programs/root/usr/lib/$(uname -m)-linux-gnu:$programs/root/lib/$(uname -m)-linux-gnu
    for program in "$programs"/root/{usr/bin,usr/sbin,bin,usr/lib/postgresql/*/bin}/*; do
        [ -x "$program" ] || continue
        printf '#!/bin/sh\nexport LD_LIBRARY_PATH="%s" PYTHONPATH="%s"\nexec "%s" "$@"\n' "$libraries" \
            "$programs/root/usr/lib/python3/dist-packages" "$program" > "$programs/bin/${program##*/}"
        chmod +x "$programs/bin/${program##*/}"
    done
}
