#!/bin/sh
# npm run bench:trainer: the figures docs/performance.md keeps. One thread; about five minutes on a quiet core.
set -u
cd "$(dirname "$0")/../.."
export OMP_NUM_THREADS=1
bad=0
for name in credit counterfactuals step; do
  trainer/.venv/bin/python "bench/trainer/$name.py" || bad=1
done
exit $bad
