"""Channel thresholds: a floored quantile of a step's scores, smoothed over steps (paper D.3, H.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class ThresholdConfig:
    """`ema` weighs the old threshold. Defaults: token level (D.3)."""

    start: float = 0.02
    floor: float = 0.02
    quantile: float = 0.75
    ema: float = 0.9
    min_scores: int = 256


TOKEN = ThresholdConfig()
#: The authors' code for sentence means.
SENTENCE = ThresholdConfig(start=0.01, floor=0.01, quantile=0.70, min_scores=32)
#: Paper H.2 read literally: D.3 as it stands.
SENTENCE_PAPER_LITERAL = ThresholdConfig()
PRESETS = {"token": TOKEN, "sentence": SENTENCE, "sentence_paper_literal": SENTENCE_PAPER_LITERAL}


@dataclass(frozen=True)
class ThresholdUpdate:
    """One step of one channel; `quantile` and `candidate` are None when the pool was too small."""

    updated: bool
    scores: int
    quantile: float | None
    candidate: float | None
    delta_after: float


@dataclass(frozen=True)
class Pool:
    """Scores of one channel and step: `once` counts one time, `sampled` stands for `weight` closed pairs each."""

    once: Tensor
    sampled: Tensor
    weight: int = 1

    @property
    def size(self) -> int:
        """Scores before any repetition: what min_scores is compared with."""
        return self.once.numel() + self.sampled.numel()


def join_pools(parts: Sequence[Pool]) -> Pool:
    """One pool of several slices of the same channel and step."""
    return Pool(torch.cat([p.once for p in parts]), torch.cat([p.sampled for p in parts]), max(p.weight for p in parts))


def order_statistics(values: Tensor, ranks: Sequence[int]) -> list[float]:
    """The values at 0-based ranks of the sorted pool."""
    if len(ranks) == 1 or ranks[0] == ranks[-1]:
        return [float(values.kthvalue(ranks[0] + 1).values)] * len(ranks)
    low = values.kthvalue(ranks[0] + 1).values
    above = values[values > low]
    at_or_below = values.numel() - above.numel()
    high = low if at_or_below > ranks[1] else above.min()
    return [float(low), float(high)]


def quantile(pool: Pool, p: float) -> float:
    """Linear interpolation at position (n - 1) p of the sorted pool, from 0 (type 7); sampled scores are repeated."""
    values = pool.once
    if pool.sampled.numel():
        values = torch.cat([pool.once, pool.sampled.repeat(pool.weight)])
    position = (values.numel() - 1) * p
    low = min(int(position), values.numel() - 1)
    high = min(low + 1, values.numel() - 1)
    below, above = order_statistics(values, [low, high])
    return below + (position - low) * (above - below)


def update_threshold(delta: float, pool: Pool, config: ThresholdConfig) -> ThresholdUpdate:
    """delta' = ema delta + (1 - ema) max(floor, Quantile_p(pool)); unchanged below min_scores (D.3)."""
    if pool.size < config.min_scores or pool.size == 0:
        return ThresholdUpdate(False, pool.size, None, None, delta)
    value = quantile(pool, config.quantile)
    candidate = max(config.floor, value)
    return ThresholdUpdate(True, pool.size, value, candidate, config.ema * delta + (1.0 - config.ema) * candidate)
