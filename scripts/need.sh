# To be sourced: installs what a script needs where it is missing, by apt, as root or by sudo;
# otherwise it says what to install, and ends the script.
# shellcheck shell=bash

# need PROGRAM[|PROGRAM] PACKAGE [PACKAGE]: one of the programs is there, or the first of the
# packages that apt knows gets installed: Debian and Ubuntu don't call all of them the same.
# Debian keeps the programs of servers out of PATH.
need() {
    local program
    local -a programs
    IFS='|' read -ra programs <<< "$1"
    for program in "${programs[@]}"; do
        if type -P "$program" > /dev/null ||
            [ -x "/usr/sbin/$program" ] ||
            compgen -G "/usr/lib/postgresql/*/bin/$program" > /dev/null; then
            return
        fi
    done
    shift
    install_package "${programs[0]}" "$@"
}

# need_module MODULE PACKAGE: Python has the module, or the package gets installed.
need_module() {
    if ! python3 -c "import $1" 2> /dev/null; then
        install_package "$1" "$2"
    fi
}

# install_package MISSING PACKAGE [PACKAGE]
install_package() {
    local package=$2 root=()
    local how="'$1' is missing; install it (Debian, Ubuntu: apt-get install $2${3:+, or $3})"
    if ! command -v apt-get > /dev/null; then
        echo "${0##*/}: $how" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo > /dev/null || ! sudo -n true 2> /dev/null; then
            echo "${0##*/}: $how" >&2
            exit 1
        fi
        root=(sudo -n)
    fi
    "${root[@]}" apt-get update -q
    if [ $# -gt 2 ] && ! apt-cache show "$2" > /dev/null 2>&1; then
        package=$3
    fi
    DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -qy --no-install-recommends "$package"
}
