"""Log-probabilities from an fp32 head in chunks: the logits of all positions never exist at once (TRAINING 4.3).

Shapes: M positions, D hidden size, V vocabulary, K top-k entries. Log-probabilities and entropy in nats.
"""

from typing import Any

import torch
from torch import Tensor


def fp32_logits(hidden_MD: Tensor, weight_VD: Tensor, bias_V: Tensor | None) -> Tensor:
    """(M, V) fp32 logits, whatever autocast says outside."""
    with torch.autocast(hidden_MD.device.type, enabled=False):
        return torch.nn.functional.linear(hidden_MD.float(), weight_VD.float(), None if bias_V is None else bias_V.float())


class ChunkedLogp(torch.autograd.Function):
    """log p(target) per position; the backward pass computes each chunk's logits again instead of keeping them."""

    @staticmethod
    def forward(ctx: Any, hidden_MD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_MK: Tensor, chunk: int) -> Tensor:
        """target_MK (M, K) ids -> (M, K) log-probabilities."""
        parts, sums = [], []
        for start in range(0, len(hidden_MD), chunk):
            logits = fp32_logits(hidden_MD[start:start + chunk], weight_VD, bias_V)
            lse = logits.logsumexp(-1)
            parts.append(logits.gather(1, target_MK[start:start + chunk]) - lse[:, None])
            sums.append(lse)
        ctx.save_for_backward(hidden_MD, weight_VD, bias_V, target_MK, torch.cat(sums))
        ctx.chunk = chunk
        return torch.cat(parts)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """d log p(y) / d logits = onehot(y) - softmax."""
        grad_MK = grads[0].float()
        hidden_MD, weight_VD, bias_V, target_MK, lse_M = ctx.saved_tensors
        need_hidden, need_weight, need_bias = ctx.needs_input_grad[:3]
        d_hidden = torch.empty_like(hidden_MD) if need_hidden else None
        d_weight = torch.zeros_like(weight_VD, dtype=torch.float32) if need_weight else None
        d_bias = torch.zeros_like(bias_V, dtype=torch.float32) if need_bias and bias_V is not None else None
        for start in range(0, len(hidden_MD), ctx.chunk):
            rows = slice(start, start + ctx.chunk)
            softmax = (fp32_logits(hidden_MD[rows], weight_VD, bias_V) - lse_M[rows, None]).exp_()
            d_logits = softmax.mul_(-grad_MK[rows].sum(1, keepdim=True)).scatter_add_(1, target_MK[rows], grad_MK[rows])
            if d_hidden is not None:
                d_hidden[rows] = (d_logits @ weight_VD.float()).to(d_hidden.dtype)
            if d_weight is not None:
                d_weight.addmm_(d_logits.T, hidden_MD[rows].float())
            if d_bias is not None:
                d_bias += d_logits.sum(0)
        return (d_hidden, None if d_weight is None else d_weight.to(weight_VD.dtype),
                None if d_bias is None or bias_V is None else d_bias.to(bias_V.dtype), None, None)


def chunked_logp(hidden_MD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_M: Tensor, chunk: int) -> Tensor:
    """(M,) fp32 log p(target)."""
    logp: Tensor = ChunkedLogp.apply(hidden_MD, weight_VD, bias_V, target_M[:, None], chunk)  # type: ignore[no-untyped-call]
    return logp[:, 0]


def chunked_logp_at(hidden_MD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_MK: Tensor, chunk: int) -> Tensor:
    """(M, K) fp32 log-probabilities at given ids: the student's side of OPSD-GKD."""
    logp: Tensor = ChunkedLogp.apply(hidden_MD, weight_VD, bias_V, target_MK, chunk)  # type: ignore[no-untyped-call]
    return logp


@torch.no_grad()
def chunked_entropy(hidden_MD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, chunk: int) -> Tensor:
    """(M,) entropy of the next-token distribution."""
    parts = []
    for start in range(0, len(hidden_MD), chunk):
        logp = fp32_logits(hidden_MD[start:start + chunk], weight_VD, bias_V).log_softmax(-1)
        parts.append(-(logp.exp() * logp).sum(-1))
    return torch.cat(parts)


@torch.no_grad()
def chunked_top_k(hidden_MD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, k: int, chunk: int) -> tuple[Tensor, Tensor]:
    """(ids (M, K), log-probs (M, K)), likeliest first: the teacher's side of OPSD-GKD."""
    ids, values = [], []
    for start in range(0, len(hidden_MD), chunk):
        logp = fp32_logits(hidden_MD[start:start + chunk], weight_VD, bias_V).log_softmax(-1)
        top = logp.topk(min(k, logp.shape[1]), dim=-1)
        ids.append(top.indices)
        values.append(top.values)
    return torch.cat(ids), torch.cat(values)
