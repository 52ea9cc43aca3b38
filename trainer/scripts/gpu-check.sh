#!/bin/sh
# On a GPU machine with its own torch >= 2.11 and transformers: installs nothing, under five minutes. NOT YET RUN ON A GPU.
# The CPU twin: trainer/scripts/gpu-check.sh --twin (uses trainer/.venv).
set -eu
cd "$(dirname "$0")/.."
python=python3
case "${1:-}" in --twin) python=.venv/bin/python; export OMP_NUM_THREADS=1 ;; esac
exec timeout 300 "$python" scripts/gpu_check.py "$@"
