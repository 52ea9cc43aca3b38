"""Rewards to token advantages in one path: GRPO, GDPO, MemCalib-RL and its ablations differ in configuration only.

Shapes: B responses of a rollout batch, H heads (9 channels, or 1 total for GRPO), T tokens (padded), N pairs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from .channels import CHANNEL_COUNT, LOCALIZABLE, denominators, rewards
from .groups import batch_scale, channel_advantages, sum_channels, total_advantages
from .localize import GATE_ORDER, NOT_REQUESTED, Localization, LocalizeConfig, Pairs, factors, localize
from .thresholds import Pool, join_pools

CONSERVATION_LIMIT = 1e-6
CHUNK = 256


class ConservationError(ValueError):
    """Redistribution changed a response's mean advantage by more than 1e-6: the step stops."""


@dataclass(frozen=True)
class CreditConfig:
    """`heads` total + no scale = GRPO; channels + rms = GDPO; the same with a localize config = MemCalib-RL."""

    heads: Literal["channels", "total"] = "channels"
    scale: Literal["rms", "none"] = "rms"
    localize: LocalizeConfig | None = field(default_factory=LocalizeConfig)


METHODS: dict[str, CreditConfig] = {
    "grpo": CreditConfig(heads="total", scale="none", localize=None),
    "gdpo": CreditConfig(localize=None),
    "memcalib-rl": CreditConfig(),
    "memcalib-rl-absolute": CreditConfig(localize=LocalizeConfig(signal="absolute")),
    "memcalib-rl-sentence": CreditConfig(localize=LocalizeConfig(granularity="sentence")),
    "memcalib-rl-sentence-absolute": CreditConfig(localize=LocalizeConfig(granularity="sentence", signal="absolute")),
}


@dataclass(frozen=True)
class Batch:
    """One rollout batch: counts_BH (B, 9) int64, group_B, valid_B bool, length_B int64 tokens, sentence_BT optional."""

    counts_BH: Tensor
    group_B: Tensor
    valid_B: Tensor
    length_B: Tensor
    sentence_BT: Tensor | None = None


@dataclass(frozen=True)
class Counterfactuals:
    """Differences of one channel: row_N (into the batch), d_NT float64 nats, scored_N bool.

    `repeat_N` is 4 for a sampled closed pair of `gated+sample`, else 1.
    """

    row_N: Tensor
    d_NT: Tensor
    scored_N: Tensor
    repeat_N: Tensor


@dataclass(frozen=True)
class Credit:
    """Token advantages and what the logs need.

    A_hat_BT (B, T) float64, 0 past a response's end and in invalid rows; A_BH, R_BH; S_B; sigma_S; fallback_BH codes of
    FALLBACK_NAMES (for pairs without atoms: `no_counterfactual`); multipliers per channel (rows, m_KT) of open pairs;
    `scores` what the pools are made of.
    """

    A_hat_BT: Tensor
    A_BH: Tensor
    R_BH: Tensor
    S_B: Tensor
    sigma_S: float
    degenerate_PH: Tensor
    fallback_BH: Tensor
    multipliers: dict[int, tuple[Tensor, Tensor]]
    scores: dict[int, list[tuple[Localization, Tensor]]]
    channel_error: float
    merged_error: float

    @cached_property
    def pools(self) -> dict[int, Pool]:
        """Threshold pools by channel, at the configured granularity: every scored pair, gates ignored (D.3)."""
        return {h: join_pools([_pool(local.scores_NS, local.counted_NS, repeat_N) for local, repeat_N in parts])
                for h, parts in self.scores.items()}

    @cached_property
    def token_pools(self) -> dict[int, Pool]:
        """Pools of token scores (the sentence variant moves both kinds of threshold)."""
        return {h: join_pools([_pool(local.clipped_NT, local.inside_NT & local.scored_N[:, None], repeat_N)
                               for local, repeat_N in parts]) for h, parts in self.scores.items()}


def advantages_only(batch: Batch, config: CreditConfig) -> tuple[Tensor, Tensor, Tensor]:
    """(R (B, H), A (B, H), degenerate (P, H)): steps 3 to 5, before any counterfactual (3.1, D.2)."""
    counts_BH = torch.where(batch.valid_B[:, None], batch.counts_BH, 0)
    Z_BH = denominators(counts_BH)
    R_BH = rewards(counts_BH, Z_BH)
    if config.heads == "total":
        total = total_advantages(counts_BH, Z_BH, batch.group_B, batch.valid_B)
        return sum_channels(R_BH)[:, None], total.A_BH, total.degenerate_PH
    split = channel_advantages(counts_BH, Z_BH, batch.group_B, batch.valid_B)
    return R_BH, split.A_BH, split.degenerate_PH


def open_gate(batch: Batch, config: CreditConfig) -> Tensor:
    """(B, 9) bool: pairs with atoms whose last gate R A > 0 is already known to be open; the rest can only fall back."""
    R_BH, A_BH, _ = advantages_only(batch, config)
    return (R_BH * A_BH > 0) & candidates(batch)


def candidates(batch: Batch) -> Tensor:
    """(B, 9) bool: localization candidates, n > 0 in a valid row and a localizable channel (3.2)."""
    localizable_H = torch.zeros(CHANNEL_COUNT, dtype=torch.bool)
    localizable_H[list(LOCALIZABLE)] = True
    return (batch.counts_BH > 0) & batch.valid_B[:, None] & localizable_H


def assign_credit(batch: Batch, config: CreditConfig, counterfactuals: Mapping[int, Counterfactuals] | None = None,
                  delta_H: list[float] | None = None, delta_sent_H: list[float] | None = None) -> Credit:
    """Steps 3 to 16: rewards, group advantages, localization, redistribution, merge, RMS, conservation check (3.1-3.3, D.4).

    B_t = sum over channels, in channel order, of A [(1 - eta chi) + eta chi m_t]; A_hat = B / sqrt(mean S^2 + eps).
    """
    R_BH, A_BH, degenerate_PH = advantages_only(batch, config)
    S_B = sum_channels(A_BH)
    sigma_S = batch_scale(S_B, batch.valid_B) if config.scale == "rms" else _unit_scale(S_B, batch.valid_B)
    rows, width = len(S_B), int(batch.length_B.max()) if len(batch.length_B) else 0
    merged_BT = torch.zeros(rows, width, dtype=torch.float64)
    fallback_BH = _unscored_fallback(batch) if config.localize else torch.zeros(rows, A_BH.shape[1], dtype=torch.int64)
    multipliers: dict[int, tuple[Tensor, Tensor]] = {}
    scores: dict[int, list[tuple[Localization, Tensor]]] = {}
    worst = 0.0
    for head in range(A_BH.shape[1]):
        spreads = []
        found = counterfactuals.get(head) if counterfactuals and config.localize else None
        if found is not None and config.localize is not None and len(found.row_N):
            scores[head] = []
            for part in _chunks(found):
                local = localize(_pairs(batch, head, part, width, R_BH, A_BH, delta_H, delta_sent_H), config.localize)
                scores[head].append((local, part.repeat_N))
                fallback_BH[part.row_N, head] = local.fallback_N
                rows_K = part.row_N[local.rows_K]
                spread_KT = factors(local.m_KT, config.localize.eta).mul_(A_BH[rows_K, head, None])
                worst = max(worst, _mean_error(spread_KT, A_BH[rows_K, head], batch.length_B[rows_K]))
                spreads.append((rows_K, local.m_KT, merged_BT[rows_K].add_(spread_KT)))
        merged_BT += A_BH[:, head, None]
        for rows_K, _, mixed_KT in spreads:
            merged_BT[rows_K] = mixed_KT
        if spreads:
            multipliers[head] = (torch.cat([s[0] for s in spreads]), torch.cat([s[1] for s in spreads]))
    inside_BT = (torch.arange(width) < batch.length_B[:, None]) & batch.valid_B[:, None]
    A_hat_BT = torch.where(inside_BT, merged_BT / sigma_S, 0.0)
    live_B = batch.valid_B & (batch.length_B > 0)
    merged_error = _mean_error(A_hat_BT[live_B], (S_B / sigma_S)[live_B], batch.length_B[live_B])
    if max(worst, merged_error) > CONSERVATION_LIMIT:
        raise ConservationError(f"mean advantage moved by {max(worst, merged_error):.3g}, allowed is {CONSERVATION_LIMIT:g}")
    return Credit(A_hat_BT, A_BH, R_BH, S_B, float(sigma_S), degenerate_PH, fallback_BH, multipliers, scores,
                  worst, merged_error)


def _unit_scale(S_B: Tensor, valid_B: Tensor) -> Tensor:
    """1.0: GRPO has no second normalisation; a batch without a valid row still stops here."""
    return torch.ones_like(batch_scale(S_B, valid_B))


def _unscored_fallback(batch: Batch) -> Tensor:
    """(B, 9) codes before any counterfactual is looked at: AA never, candidates not requested, the rest has no atoms."""
    codes_BH = torch.full(batch.counts_BH.shape, 1 + GATE_ORDER.index("no_counterfactual"), dtype=torch.int64)
    codes_BH[candidates(batch)] = NOT_REQUESTED
    codes_BH[:, [h for h in range(CHANNEL_COUNT) if h not in LOCALIZABLE]] = 1 + GATE_ORDER.index("channel_not_localized")
    return codes_BH


def _pairs(batch: Batch, head: int, found: Counterfactuals, width: int, R_BH: Tensor, A_BH: Tensor, delta_H: list[float] | None,
           delta_sent_H: list[float] | None) -> Pairs:
    """The pairs of one channel with their rewards, advantages and thresholds."""
    assert delta_H is not None, "localization needs the channel thresholds"
    row_N = found.row_N
    sentence_NT = None if batch.sentence_BT is None else batch.sentence_BT[row_N, :width]
    return Pairs(head, found.d_NT[:, :width], found.scored_N, batch.length_B[row_N], R_BH[row_N, head], A_BH[row_N, head],
                 delta_H[head], delta_sent_H[head] if delta_sent_H else 0.0, sentence_NT)


def _chunks(found: Counterfactuals) -> list[Counterfactuals]:
    """Slices of CHUNK pairs: what one slice touches stays in the processor's cache."""
    return [Counterfactuals(found.row_N[i:i + CHUNK], found.d_NT[i:i + CHUNK], found.scored_N[i:i + CHUNK], found.repeat_N[i:i + CHUNK])
            for i in range(0, len(found.row_N), CHUNK)]


def _pool(scores_NS: Tensor, counted_NS: Tensor, repeat_N: Tensor) -> Pool:
    """Scores of scored pairs, gates ignored (D.3); those of sampled closed pairs are kept apart with their weight."""
    weight = int(repeat_N.max())
    if weight == 1:
        return Pool(scores_NS[counted_NS], scores_NS.new_empty(0))
    sampled_N1 = (repeat_N > 1)[:, None]
    return Pool(scores_NS[counted_NS & ~sampled_N1], scores_NS[counted_NS & sampled_N1], weight)


def _mean_error(spread_KT: Tensor, A_K: Tensor, length_K: Tensor) -> float:
    """Largest |mean over a response's tokens - A| (D.4); places past the end are not counted."""
    if spread_KT.numel() == 0:
        return 0.0
    if bool((length_K < spread_KT.shape[1]).any()):
        spread_KT = spread_KT * (torch.arange(spread_KT.shape[1]) < length_K[:, None])
    return float((spread_KT.sum(1) / length_K - A_K).abs().max())
