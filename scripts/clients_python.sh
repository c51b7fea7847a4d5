#!/usr/bin/env bash
# The Python package: built, installed into an empty environment, its README run as pasted, and its tests,
# with those of the adapters against the real frameworks and the scenarios around a real server. It needs
# the internet, or a registry of Python.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
. scripts/server.sh

build=1.6.1
ruff=0.17.6
mypy=2.4.1
pytest=9.2.0
frameworks=(openai-agents==0.24.0 langchain==1.5.2 pydantic-ai-slim==2.68.0)

need python3 "the Python package" python3
need_module ensurepip "the Python package" python3-venv

export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# environment NAME PACKAGE...
environment() {
    python3 -m venv "$folder/$1"
    "$folder/$1/bin/pip" install --quiet "${@:2}"
}

environment tools "build==$build" "ruff==$ruff"
"$folder/tools/bin/python" -m build --outdir "$folder/dist" clients/python > "$folder/build.log" 2>&1 || {
    cat "$folder/build.log" >&2
    exit 1
}
wheel=$(echo "$folder"/dist/*.whl)

environment empty "$wheel"
environment tests "$wheel" "pytest==$pytest" "mypy==$mypy" "${frameworks[@]}"

cd clients/python
"$folder/tools/bin/ruff" check --no-cache .
"$folder/tests/bin/mypy" --cache-dir "$folder/mypy"
CTXMEM_SERVER=$server CTXMEM_PYTHON=$folder/empty/bin/python \
    CTXMEM_OUTAGE_SECONDS=${CTXMEM_OUTAGE_SECONDS:-60} \
    "$folder/tests/bin/pytest" -p no:cacheprovider -q -rs --capture=tee-sys "$@"
