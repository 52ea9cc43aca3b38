"""Group-normalised advantages and the batch scale (paper 3.3, D.2).

Shapes: B responses, H heads (9 channels, or 1 for GRPO's total). `group_B` holds a group number 0..P-1 per response.
Invalid rows enter no statistic and get exactly 0.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .channels import ATOM_REWARDS, rewards

EPS = 1e-6
SIGMA_MIN = 1e-6


class NoValidResponseError(ValueError):
    """A batch without one valid response: the step stops."""

    code = "no_valid_response"


@dataclass(frozen=True)
class GroupAdvantages:
    """`A_BH` (B, H) float64, `degenerate_PH` (P, H) bool: fewer than two valid rows, equal values, or std < 1e-6."""

    A_BH: Tensor
    degenerate_PH: Tensor


def _group_sums(values_BH: Tensor, group_B: Tensor, groups: int) -> Tensor:
    """(P, H) sums over the rows of each group."""
    return torch.zeros(groups, values_BH.shape[1], dtype=values_BH.dtype).index_add_(0, group_B, values_BH)


def channel_advantages(counts_BH: Tensor, Z_BH: Tensor, group_B: Tensor, valid_B: Tensor) -> GroupAdvantages:
    """A = (R - mean) / (population std + eps) per channel over the valid rows of the group (3.3, D.2).

    Worked from whole numbers: V n_i - sum n is exact, so equal counts give exactly 0 and the order of rows plays no part.
    """
    groups = int(group_B.max()) + 1 if len(group_B) else 0
    n_BH = torch.where(valid_B[:, None], counts_BH, 0)
    rows_P1 = _group_sums(valid_B.to(torch.int64)[:, None], group_B, groups)
    sum_PH = _group_sums(n_BH, group_B, groups)
    deviation_BH = torch.where(valid_B[:, None], rows_P1[group_B] * n_BH - sum_PH[group_B], 0)  # V (n - mean), exact
    squares_PH = _group_sums(deviation_BH.double() ** 2, group_B, groups)
    weight_H = torch.tensor(ATOM_REWARDS, dtype=torch.float64)
    rows_B1 = rows_P1[group_B].clamp(min=1).double()
    std_BH = (squares_PH[group_B] / rows_B1).sqrt() / rows_B1 * weight_H.abs() / Z_BH
    gap_BH = deviation_BH.double() / rows_B1 * weight_H / Z_BH
    dead_BH = (rows_P1[group_B] < 2) | (squares_PH[group_B] == 0) | (std_BH < SIGMA_MIN)
    A_BH = torch.where(dead_BH | ~valid_B[:, None], 0.0, gap_BH / (std_BH + EPS))
    dead_PH = torch.ones(groups, counts_BH.shape[1], dtype=torch.bool)
    dead_PH[group_B] = dead_BH
    return GroupAdvantages(A_BH, dead_PH)


def total_advantages(counts_BH: Tensor, Z_BH: Tensor, group_B: Tensor, valid_B: Tensor) -> GroupAdvantages:
    """GRPO's single head (B, 1): the channel rewards summed in channel order, then normalised in the group (D.2).

    Totals are fractions; std below sigma_min = 1e-6 is degenerate and gives exactly 0.
    """
    groups = int(group_B.max()) + 1 if len(group_B) else 0
    total_B1 = torch.where(valid_B[:, None], sum_channels(rewards(counts_BH, Z_BH))[:, None], 0.0)
    rows_P1 = _group_sums(valid_B.double()[:, None], group_B, groups)
    mean_P1 = _group_sums(total_B1, group_B, groups) / rows_P1.clamp(min=1)
    gap_B1 = torch.where(valid_B[:, None], total_B1 - mean_P1[group_B], 0.0)
    std_P1 = (_group_sums(gap_B1**2, group_B, groups) / rows_P1.clamp(min=1)).sqrt()
    dead_P1 = (rows_P1 < 2) | (std_P1 < SIGMA_MIN)
    A_B1 = torch.where(dead_P1[group_B] | ~valid_B[:, None], 0.0, gap_B1 / (std_P1[group_B] + EPS))
    return GroupAdvantages(A_B1, dead_P1)


def sum_channels(values_BH: Tensor) -> Tensor:
    """(B,) sum over heads, added in channel order one at a time: the order that makes eta = 0 bitwise GDPO."""
    total_B = torch.zeros(values_BH.shape[0], dtype=values_BH.dtype)
    for head in range(values_BH.shape[1]):
        total_B = total_B + values_BH[:, head]
    return total_B


def batch_scale(S_B: Tensor, valid_B: Tensor) -> Tensor:
    """sigma_S = sqrt(mean S^2 + eps) over all valid responses of the rollout batch, zeros included (D.2, D.4)."""
    if not bool(valid_B.any()):
        raise NoValidResponseError("no valid response in the batch")
    return ((S_B[valid_B] ** 2).mean() + EPS).sqrt()
