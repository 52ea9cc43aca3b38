#!/bin/sh
# Kill tests, two processes, TRL parity, the real Temporal dev server (when it and node_modules are at hand).
set -eu
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=1
exec .venv/bin/python -m pytest -q -m slow tests "$@"
