#!/bin/sh
# npm run test:slow: kill tests, two processes, TRL parity, the shell loop with memcalib judge, the real Temporal dev server.
set -eu
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=1
exec .venv/bin/python -m pytest -q -m slow tests "$@"
