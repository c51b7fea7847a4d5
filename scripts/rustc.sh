#!/usr/bin/env bash
# The compiler of scripts/test.sh, as RUSTC_WORKSPACE_WRAPPER: called with a compiler and its arguments.
# Clippy ($CLIPPY_DRIVER) is a compiler as well, so one compilation checks the code and builds the tests. A
# library is compiled twice, alone and with its unit tests: Clippy sees all of it the second time, and the
# plain compiler takes half as long for the first.
set -euo pipefail
case " $* " in
*' --test '*) ;;
*' --crate-type lib '*) exec "$@" --deny warnings ;;
esac
exec "$CLIPPY_DRIVER" "$@"
