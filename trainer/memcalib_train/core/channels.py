"""The nine ideal-to-actual channels, their counts and rewards (paper 2.3, 3.1, D.1).

Shapes: B responses, H = 9 channels in the order AA, AB, AC, BA, BB, BC, CA, CB, CC (ideal, then actual).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

LEVELS: Final = ("A", "B", "C")
CHANNELS: Final = tuple(ideal + actual for ideal in LEVELS for actual in LEVELS)
CHANNEL_COUNT: Final = len(CHANNELS)
#: Rank of the actual level minus rank of the ideal level: above 0 over-use, below 0 under-use.
RANK_STEPS: Final = tuple(LEVELS.index(h[1]) - LEVELS.index(h[0]) for h in CHANNELS)
#: Reward of one atom before division by Z: +1 when right, else minus the rank difference (3.1).
ATOM_REWARDS: Final = tuple(1 if step == 0 else -abs(step) for step in RANK_STEPS)
#: s(h) of 3.2: 0 for AA, -1 for under-use, +1 for the rest.
SIGNS: Final = tuple(0 if h == "AA" else -1 if step < 0 else 1 for h, step in zip(CHANNELS, RANK_STEPS, strict=True))
#: A+, AB-, ... as the paper's Table 8 writes them.
LABELS: Final = tuple(h[0] + "+" if step == 0 else h + "-" for h, step in zip(CHANNELS, RANK_STEPS, strict=True))
LOCALIZABLE: Final = tuple(h for h in range(CHANNEL_COUNT) if SIGNS[h] != 0)
CORRECT_USE: Final = (CHANNELS.index("BB"), CHANNELS.index("CC"))
CORRECTIVE: Final = tuple(h for h in range(CHANNEL_COUNT) if RANK_STEPS[h] != 0)


class UnknownLevelError(ValueError):
    """A level that is not A, B or C."""


def channel_index(ideal: str, actual: str) -> int:
    """Index of the channel ideal->actual in CHANNELS order."""
    if ideal not in LEVELS or actual not in LEVELS:
        raise UnknownLevelError(f"level pair {ideal!r}->{actual!r} is not made of A, B and C")
    return LEVELS.index(ideal) * 3 + LEVELS.index(actual)


def count_channels(ideal: Sequence[str], actual: Sequence[str]) -> list[int]:
    """n[h] (9 whole numbers): atoms of one response per channel. `ideal` and `actual` are parallel over its atoms."""
    counts = [0] * CHANNEL_COUNT
    for level, used in zip(ideal, actual, strict=True):
        counts[channel_index(level, used)] += 1
    return counts


def denominators(counts_BH: Tensor) -> Tensor:
    """Z[B, 9] (int64) = max(1, atoms of the channel's ideal level), from counts[B, 9] (3.1)."""
    level_B3 = counts_BH.view(-1, 3, 3).sum(-1)
    return level_B3.clamp(min=1).repeat_interleave(3, dim=1)


def rewards(counts_BH: Tensor, Z_BH: Tensor) -> Tensor:
    """R[B, 9] (float64) = n / Z * (+1 or -|rank difference|) (3.1). Z may also be [9]."""
    weight_H = torch.tensor(ATOM_REWARDS, dtype=torch.float64)
    return counts_BH.to(torch.float64) * weight_H / Z_BH.to(torch.float64)


@dataclass(frozen=True)
class UseMetrics:
    """Metrics of single responses on the scale 0 to 1 (2.3), each of shape (B,)."""

    over_B: Tensor
    under_B: Tensor
    scs_B: Tensor
    smos_B: Tensor
    smus_B: Tensor
    aor_B: Tensor
    aur_B: Tensor
    exact_B: Tensor


def use_totals(counts_BH: Tensor) -> tuple[Tensor, Tensor]:
    """O[B] and U[B] (int64): rank steps of over-use and of under-use, summed over atoms (2.3)."""
    step_H = torch.tensor(RANK_STEPS, dtype=torch.int64)
    return (counts_BH * step_H.clamp(min=0)).sum(-1), (counts_BH * (-step_H).clamp(min=0)).sum(-1)


def use_metrics(counts_BH: Tensor) -> UseMetrics:
    """SCS = 0.5^(O+U), sMOS = 1 - 0.5^O, sMUS = 1 - 0.5^U, AOR = [O>0], AUR = [U>0], Exact = [O+U=0] (2.3)."""
    over_B, under_B = use_totals(counts_BH)
    half = torch.tensor(0.5, dtype=torch.float64)
    return UseMetrics(over_B, under_B, half ** (over_B + under_B), 1 - half**over_B, 1 - half**under_B,
                      (over_B > 0).double(), (under_B > 0).double(), (over_B + under_B == 0).double())
