"""What a gradient step minimises (paper D.2 equation 2, E.2).

Shapes: B responses, T completion tokens, V vocabulary, K top-k entries. Masked places may hold anything, NaN included.
Micro-batches of one mini-batch divide by the tokens of the whole mini-batch (`tokens`), so their losses add up.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

LOG_RATIO_CLAMP = 20.0


class NoValidTokenError(ValueError):
    """An update without one unmasked token: the step stops."""

    code = "no_valid_token"


@dataclass(frozen=True)
class LossTerms:
    """`loss` = `policy_loss` + beta `kl`, scalars; `clipped_BT` is True where the clipped branch is the smaller one."""

    loss: Tensor
    policy_loss: Tensor
    kl: Tensor
    clipped_BT: Tensor


def k3(gap: Tensor, clamp: float = LOG_RATIO_CLAMP) -> Tensor:
    """k3 = exp(g) - g - 1 >= 0 with g = log p_ref - log p_new held within +-clamp (zero slope outside)."""
    held = gap.clamp(-clamp, clamp)
    return torch.exp(held) - held - 1


def policy_loss(logp_new_BT: Tensor, logp_old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor, *, tokens: int | None = None,
                clip: float = 0.2, beta: float = 0.01, logp_ref_BT: Tensor | None = None,
                log_ratio_clamp: float = LOG_RATIO_CLAMP) -> LossTerms:
    """Minus equation 2: -mean min(rho A, clip(rho, 1 +- clip) A) + beta mean k3, over the mini-batch's valid tokens (D.2)."""
    on = mask_BT.bool()
    count = int(on.sum()) if tokens is None else tokens
    if count == 0:
        raise NoValidTokenError("no valid token in the update")
    new, A = logp_new_BT[on], advantages_BT[on].to(logp_new_BT.dtype)
    ratio = torch.exp((new - logp_old_BT[on]).clamp(-log_ratio_clamp, log_ratio_clamp))
    free, bounded = ratio * A, ratio.clamp(1 - clip, 1 + clip) * A
    policy = -torch.minimum(free, bounded).sum() / count
    kl = k3(logp_ref_BT[on] - new, log_ratio_clamp).sum() / count if logp_ref_BT is not None else torch.zeros_like(policy)
    clipped_BT = torch.zeros_like(on)
    clipped_BT[on] = (bounded < free).detach()
    return LossTerms(policy + beta * kl, policy, kl, clipped_BT)


def distillation_advantages(logp_teacher_BT: Tensor, logp_old_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """OPSD-PG: A_t = log p_teacher - log p_old (the k1 reverse-KL reward), detached, not normalised; 0 where masked (E.2)."""
    return torch.where(mask_BT.bool(), logp_teacher_BT - logp_old_BT, 0.0).detach()


def teacher_top_k(logp_teacher_BTV: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """(ids (B, T, K), log-probs (B, T, K)) of the k likeliest tokens, likeliest first, ties to the lower id."""
    order = torch.sort(logp_teacher_BTV, dim=-1, descending=True, stable=True)
    return order.indices[..., :k], order.values[..., :k]


def forward_kl_top_k(teacher_BTK: Tensor, student_BTK: Tensor) -> Tensor:
    """(B, T) sum over the teacher's top-k of p_T (log p_T - log p_S); teacher mass not renormalised (E.2, OPSD-GKD)."""
    return (teacher_BTK.exp() * (teacher_BTK - student_BTK)).sum(-1)


def distillation_loss(teacher_BTK: Tensor, student_BTK: Tensor, mask_BT: Tensor, tokens: int | None = None) -> Tensor:
    """OPSD-GKD: mean over the mini-batch's valid tokens of max(0, top-k forward KL) (E.2)."""
    on = mask_BT.bool()
    count = int(on.sum()) if tokens is None else tokens
    if count == 0:
        raise NoValidTokenError("no valid token in the update")
    return forward_kl_top_k(teacher_BTK[on], student_BTK[on]).clamp(min=0.0).sum() / count
