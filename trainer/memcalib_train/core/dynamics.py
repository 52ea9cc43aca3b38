"""Training dynamics of Appendix J, kept as numerator and denominator counts so that phases can be summed before dividing.

Shapes: B responses, H = 9 channels, P groups, K open pairs, T tokens.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from .channels import CHANNEL_COUNT, CHANNELS, CORRECT_USE, CORRECTIVE, LOCALIZABLE, RANK_STEPS, use_metrics
from .credit import Batch, Credit, candidates
from .localize import FALLBACK_NAMES, factors

Counts = dict[str, list[int]]
OUTCOMES = ("all_max", "all_min", "uniform", "mixed", "absent")


def trigger_counts(batch: Batch) -> Counts:
    """Per channel [valid responses with n > 0, valid responses]: the trigger rate."""
    valid = int(batch.valid_B.sum())
    hit_H = ((batch.counts_BH > 0) & batch.valid_B[:, None]).sum(0)
    return {CHANNELS[h]: [int(hit_H[h]), valid] for h in range(CHANNEL_COUNT)}


def localization_counts(batch: Batch, credit: Credit) -> Counts:
    """Per localizable channel and for correct_use {BB, CC} and corrective: [localized pairs, candidates]."""
    wanted_BH = candidates(batch)
    open_BH = wanted_BH & (credit.fallback_BH == 0)
    out = {CHANNELS[h]: [int(open_BH[:, h].sum()), int(wanted_BH[:, h].sum())] for h in LOCALIZABLE}
    for name, members in (("correct_use", CORRECT_USE), ("corrective", CORRECTIVE)):
        out[name] = [sum(out[CHANNELS[h]][i] for h in members) for i in (0, 1)]
    return out


def fallback_counts(batch: Batch, credit: Credit) -> dict[str, int]:
    """Candidates by reason of fallback, `localized` included."""
    codes = credit.fallback_BH[candidates(batch)]
    return {name: int((codes == code).sum()) for code, name in enumerate(FALLBACK_NAMES)}


def group_outcomes(batch: Batch, credit: Credit) -> tuple[Counts, dict[str, dict[str, int]]]:
    """(non-degenerate [groups that vary, groups] per channel, outcome class counts for correct_use and corrective).

    Maximum is 1 for B+ and C+ (0 for errors); a positive channel without an atom of its level is `absent`.
    Groups need two valid responses to vary.
    """
    groups = int(batch.group_B.max()) + 1
    varied: Counts = {CHANNELS[h]: [0, groups] for h in range(CHANNEL_COUNT)}
    outcome = {name: dict.fromkeys(OUTCOMES, 0) for name in ("correct_use", "corrective")}
    for p in range(groups):
        counts_VH = batch.counts_BH[(batch.group_B == p) & batch.valid_B]
        if len(counts_VH) == 0:
            continue
        level_3 = counts_VH[0].view(3, 3).sum(-1)
        for h in range(CHANNEL_COUNT):
            column = counts_VH[:, h]
            mixed = bool((column != column[0]).any())
            varied[CHANNELS[h]][0] += int(mixed)
            if h in LOCALIZABLE:
                kind = _outcome(column, mixed, int(level_3[h // 3]), RANK_STEPS[h] == 0)
                outcome["correct_use" if h in CORRECT_USE else "corrective"][kind] += 1
    return varied, outcome


def _outcome(column: Tensor, mixed: bool, atoms: int, positive: bool) -> str:
    """Outcome class of one group and channel: reward is at its maximum when all (or, for errors, none) of the atoms count."""
    if atoms == 0:
        return "absent"
    if mixed:
        return "mixed"
    best, worst = (atoms, 0) if positive else (0, atoms)
    value = int(column[0])
    return "all_max" if value == best else "all_min" if value == worst else "uniform"


def multiplier_spread(batch: Batch, credit: Credit, eta: float, cap: float) -> dict[str, float]:
    """Effective multipliers per sentence, weighted by tokens (mean must be 1, p1 ... p99); share of open pairs at the cap.

    Without sentences the token itself is the unit.
    """
    values, weights, capped, pairs = [], [], 0, 0
    for rows_K, m_KT in credit.multipliers.values():
        factor_KT = factors(m_KT, eta)
        pairs += len(rows_K)
        capped += int((m_KT >= cap - 1e-9).any(1).sum()) if m_KT.numel() else 0
        for row, factor_T in zip(rows_K.tolist(), factor_KT, strict=True):
            length = int(batch.length_B[row])
            index_T = torch.arange(length) if batch.sentence_BT is None else batch.sentence_BT[row, :length]
            tokens_J = torch.zeros(int(index_T.max()) + 1, dtype=torch.float64).index_add_(0, index_T, torch.ones(length).double())
            sums_J = torch.zeros_like(tokens_J).index_add_(0, index_T, factor_T[:length])
            values.append(sums_J[tokens_J > 0] / tokens_J[tokens_J > 0])
            weights.append(tokens_J[tokens_J > 0])
    if not values:
        return {"pairs": 0.0}
    return {"pairs": float(pairs), "cap_hit_share": capped / pairs} | weighted_spread(torch.cat(values), torch.cat(weights))


def weighted_spread(values: Tensor, weights: Tensor, points: Sequence[int] = (1, 5, 50, 95, 99)) -> dict[str, float]:
    """Weighted mean and percentiles (smallest value whose cumulative weight reaches the share)."""
    order = values.argsort()
    share = weights[order].cumsum(0) / weights.sum()
    out = {"mean": float((values * weights).sum() / weights.sum())}
    for point in points:
        place = min(int((share < point / 100).sum()), len(values) - 1)
        out[f"p{point}"] = float(values[order][place])
    return out


def use_summary(batch: Batch) -> dict[str, float]:
    """The six benchmark metrics over valid rollouts, as percentages (2.3)."""
    m = use_metrics(batch.counts_BH[batch.valid_B])
    columns = {"SCS": m.scs_B, "Exact": m.exact_B, "sMOS": m.smos_B, "sMUS": m.smus_B, "AOR": m.aor_B, "AUR": m.aur_B}
    return {name: 100 * float(column.mean()) for name, column in columns.items()}
