"""Golden vectors: the copies in tests/golden, which must equal ../shared/golden wherever that folder lies beside the clone."""

import json
import math
import os
from pathlib import Path

COPIES = Path(__file__).parent / "golden"
SHARED = Path(os.environ.get("MEMCALIB_SHARED") or Path(__file__).resolve().parents[2].parent / "shared") / "golden"
NAMES = ("rewards", "groups", "localize", "thresholds", "objectives")


def golden(name):
    return json.loads((COPIES / f"{name}.json").read_text())


def near(got, expected):
    """The README's tolerance: |x - expected| <= 1e-12 max(1, |expected|), nested lists and None included."""
    if expected is None or got is None:
        return got is None and expected is None
    if isinstance(expected, list):
        return len(got) == len(expected) and all(near(g, e) for g, e in zip(got, expected, strict=True))
    if math.isnan(got):
        return False
    return abs(got - expected) <= 1e-12 * max(1.0, abs(expected))
