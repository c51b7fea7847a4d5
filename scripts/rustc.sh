#!/usr/bin/env bash
# The compiler of scripts/test.sh, as RUSTC_WORKSPACE_WRAPPER: it gets a compiler and its arguments. Clippy
# ($CLIPPY_DRIVER) compiles, so that what is tested is checked in the same step. A library gets compiled a second time with its
# unit tests: there Clippy sees all of it, so that by itself the plain compiler does, in half the time.
set -euo pipefail
case " $* " in
*' --test '*) ;;
*' --crate-type lib '*) exec "$@" --deny warnings ;;
esac
exec "$CLIPPY_DRIVER" "$@"
