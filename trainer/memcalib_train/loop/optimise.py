"""Gradient steps of one rollout batch: mini-batches of whole groups, the loss divided by the tokens of the mini-batch (paper D.2).

Shapes: B responses, T tokens (padded), M tokens of a micro-batch, K top-k entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ..core.objectives import distillation_loss, policy_loss
from ..errors import TrainerError
from ..model.scorer import pack, plan_micro_batches
from ..model.seeds import permutation
from .parallel import clip, loss_scale, sum_gradients, trainable
from .rollout import Rollout
from .session import Session


@dataclass(frozen=True)
class Targets:
    """What the loss is made of: token advantages A_hat_BT (policy methods), or the teacher's top-k (OPSD-GKD).

    keep_B: rows that take part; beta 0 means no reference.
    """

    keep_B: Tensor
    A_hat_BT: Tensor | None = None
    logp_ref: Sequence[Tensor] | None = None
    beta: float = 0.0
    teacher: Sequence[tuple[Tensor, ...]] | None = None


@dataclass
class Stats:
    """Sums over the mini-batches of a step; `grad_norms` one per optimizer step, before clipping."""

    losses: list[float] = field(default_factory=list)
    kl: list[float] = field(default_factory=list)
    clipped_tokens: float = 0.0
    tokens: int = 0
    grad_norms: list[float] = field(default_factory=list)


def mini_batches(responses: int, samples: int, size: int, seed: tuple[object, ...]) -> list[list[int]]:
    """Rows per optimizer step: whole groups in a seeded order."""
    order = permutation(responses // samples, "mini-batches", *seed)
    groups = size // samples
    return [[g * samples + s for g in order[i:i + groups] for s in range(samples)] for i in range(0, len(order), groups)]


def padded(parts: Sequence[Tensor], rows: Sequence[int], width: int) -> Tensor:
    """(rows, width) from ragged (T,) tensors."""
    out = torch.zeros(len(rows), width, dtype=parts[rows[0]].dtype)
    for b, row in enumerate(rows):
        out[b, :len(parts[row])] = parts[row]
    return out


def micro_loss(session: Session, rollout: Rollout, targets: Targets, rows: Sequence[int], tokens: int) -> tuple[Tensor, float, float]:
    """(loss, kl, clipped tokens) of a micro-batch; its loss is a share of the mini-batch's (denominator `tokens`)."""
    prompts = [session.prompts[rollout.records[r].id] for r in rows]
    completions = [rollout.completions[r] for r in rows]
    packed = pack(list(zip(prompts, completions, strict=True)), session.scorer.pad_id, session.policy.device)
    sizes = [len(c) for c in completions]
    mask_BT = torch.arange(max(sizes)) < torch.tensor(sizes)[:, None]
    device = session.policy.device
    if targets.teacher is not None:
        ids_MK = torch.cat([targets.teacher[r][0] for r in rows]).to(device)
        teacher_MK = torch.cat([targets.teacher[r][1] for r in rows]).to(device)
        student_MK = session.policy(packed, "logp_at", 0, ids_MK)
        on_M = torch.ones(len(ids_MK), dtype=torch.bool, device=device)
        return distillation_loss(teacher_MK, student_MK, on_M, tokens), 0.0, 0.0
    assert targets.A_hat_BT is not None
    new_M = session.policy(packed)
    new_BT = torch.zeros(mask_BT.shape, device=device).masked_scatter(mask_BT.to(device), new_M)
    width = mask_BT.shape[1]
    ref_BT = padded(targets.logp_ref, rows, width).to(device) if targets.logp_ref is not None else None
    terms = policy_loss(new_BT, padded(rollout.logp_old, rows, width).to(device), targets.A_hat_BT[list(rows), :width].to(device),
                        mask_BT.to(device), tokens=tokens, clip=session.config.optim.clip, beta=targets.beta, logp_ref_BT=ref_BT)
    return terms.loss, float(terms.kl.detach()), float(terms.clipped_BT.sum())


def accumulate(session: Session, rollout: Rollout, targets: Targets, rows: Sequence[int]) -> tuple[float, float, float, int]:
    """Adds the gradient of one mini-batch; returns (loss, kl, clipped tokens, tokens), summed over processes."""
    kept = [r for r in rows if targets.keep_B[r]]
    tokens = sum(len(rollout.completions[r]) for r in kept)
    if tokens == 0:
        raise TrainerError("no_valid_token", "a mini-batch has no valid token")
    lengths = [len(session.prompts[rollout.records[r].id]) + len(rollout.completions[r]) for r in kept]
    batches = plan_micro_batches(lengths, session.config.model.token_budget)
    scale = loss_scale(session.world)
    sums = [0.0, 0.0, 0.0]
    for turn, batch in enumerate(session.world.share(batches)):
        loss, kl, clipped = micro_loss(session, rollout, targets, [kept[i] for i in batch], tokens)
        live = 0.0 if session.world.is_dummy(turn, len(batches)) else 1.0
        (loss * (scale * live)).backward()  # type: ignore[no-untyped-call]
        sums = [a + live * b for a, b in zip(sums, (float(loss.detach()), kl, clipped), strict=True)]
        session.report("update", min((turn + 1) * session.world.size, len(batches)), len(batches))
    total = session.world.sum(sums, session.policy.device)
    return total[0], total[1], total[2], tokens


def optimise(session: Session, rollout: Rollout, targets: Targets, step: int) -> Stats:
    """One epoch over the rollout in mini-batches; aborts before a step whose loss or gradient is not finite."""
    config = session.config
    parameters = [p for _, p in trainable(session.policy)]
    stats = Stats()
    session.policy.train()
    for rows in mini_batches(len(rollout.completions), config.rollout.samples, config.optim.mini_batch, (config.run.seed, step)):
        session.optimizer.zero_grad(set_to_none=True)
        session.spoiled()
        loss, kl, clipped, tokens = accumulate(session, rollout, targets, rows)
        sum_gradients(parameters, session.world)
        norm = clip(parameters, config.optim.max_grad_norm)
        if not (torch.isfinite(torch.tensor(loss)) and torch.isfinite(torch.tensor(norm))):
            raise TrainerError("non_finite", f"the loss ({loss}) or gradient norm ({norm}) is not a number")
        session.optimizer.step()
        stats.losses.append(loss)
        stats.kl.append(kl)
        stats.clipped_tokens += clipped
        stats.tokens += tokens
        stats.grad_norms.append(norm)
    session.optimizer.zero_grad(set_to_none=True)
    session.policy.eval()
    return stats
