"""Fixtures of all suites: one torch thread (results are bitwise functions of the thread count), golden files."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(1)
settings.register_profile("memcalib", deadline=None, max_examples=30, derandomize=True, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memcalib")
