"""Sampling completions: ids in, ids out; text never goes back into ids.

Each sample draws its uniforms from its own generator, derived from (seed, sample), so the batch it happens to sit in does not
choose its random numbers. Temperature 1, top-p 1 and no top-k: anything else would bias the ratios (TRAINING section 5, rows 1, 2).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch
from torch import Tensor
from transformers import DynamicCache

from .policy import Policy
from .seeds import generator_for
from .world import World

Finish = Literal["stop", "length"]


@dataclass(frozen=True)
class Request:
    """One prompt, sampled `n` times. Equal (prompt, seed) give equal samples."""

    prompt_ids: tuple[int, ...]
    n: int
    seed: int


@dataclass(frozen=True)
class Sample:
    """Completion ids with the end token when one was drawn; sampler log-probabilities (monitoring only) when known."""

    ids: tuple[int, ...]
    finish: Finish
    logprobs: tuple[float, ...] | None


class Generator(Protocol):
    """Answers requests in order, n samples each."""

    def generate(self, requests: Sequence[Request], max_new_tokens: int,
                 progress: Callable[[int, int], None] | None = None) -> list[list[Sample]]: ...

    def sync(self, weights: str, adapter: bool) -> None:
        """Takes up new weights from a folder; generators that share the trainer's model do nothing."""


class HuggingFaceGenerator:
    """Samples with the trainer's own model: left-padded prompts, a key-value cache, one uniform number per token."""

    def __init__(self, policy: Policy, pad_id: int, end_ids: Sequence[int], batch_rows: int = 64,
                 world: World | None = None) -> None:
        self.policy, self.pad_id, self.batch_rows = policy, pad_id, batch_rows
        self.end_ids = torch.tensor(sorted(end_ids))
        self.world = world or World()

    def sync(self, weights: str, adapter: bool) -> None:
        """Nothing to do: the weights are the trainer's."""

    @torch.no_grad()
    def generate(self, requests: Sequence[Request], max_new_tokens: int,
                 progress: Callable[[int, int], None] | None = None) -> list[list[Sample]]:
        self.policy.eval()
        rows = [(r, s) for r, request in enumerate(requests) for s in range(request.n)]
        batches = [rows[i:i + self.batch_rows] for i in range(0, len(rows), self.batch_rows)]
        mine: list[tuple[tuple[int, int], Sample]] = []
        for turn, batch in enumerate(self.world.share(batches)):
            prompts = [requests[r].prompt_ids for r, _ in batch]
            seeds = [(requests[r].seed, s) for r, s in batch]
            samples = self._batch(prompts, seeds, max_new_tokens)
            if not self.world.is_dummy(turn, len(batches)):
                mine += zip(batch, samples, strict=True)
            if progress:
                progress(min((turn + 1) * self.world.size, len(batches)), len(batches))
        found = dict(self.world.gather(mine))
        return [[found[r, s] for s in range(request.n)] for r, request in enumerate(requests)]

    def _batch(self, prompts: list[tuple[int, ...]], seeds: list[tuple[int, int]], max_new_tokens: int) -> list[Sample]:
        device, B = self.policy.device, len(prompts)
        uniform_BT = torch.stack([torch.rand(max_new_tokens, generator=generator_for("sample", *seed), dtype=torch.float64)
                                  for seed in seeds]).to(device)
        width = max(len(p) for p in prompts)
        input_BL = torch.tensor([[self.pad_id] * (width - len(p)) + list(p) for p in prompts], device=device)
        keep_BL = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts], device=device)
        position_BL = (keep_BL.cumsum(1) - 1).clamp(min=0)
        ids_BT = torch.full((B, max_new_tokens), self.pad_id, dtype=torch.int64, device=device)
        logp_BT = torch.zeros(B, max_new_tokens, device=device)
        length_B = torch.full((B,), max_new_tokens, device=device)
        alive_B = torch.ones(B, dtype=torch.bool, device=device)
        end_ids = self.end_ids.to(device)
        cache: Any = DynamicCache()
        for t in range(max_new_tokens):
            logits_BV, cache = self.policy(None, step=(input_BL, keep_BL, position_BL, cache))
            token_B, logp_BT[:, t] = draw(logits_BV, uniform_BT[:, t])
            ids_BT[:, t] = torch.where(alive_B, token_B, self.pad_id)
            ended_B = alive_B & torch.isin(token_B, end_ids)
            length_B[ended_B] = t + 1
            alive_B = alive_B & ~ended_B
            if not self.world.any(bool(alive_B.any()), device):
                break
            input_BL, position_BL = ids_BT[:, t:t + 1], position_BL[:, -1:] + 1
            keep_BL = torch.cat([keep_BL, torch.ones_like(keep_BL[:, :1])], 1)
        rows = zip(ids_BT.tolist(), logp_BT.tolist(), length_B.tolist(), alive_B.tolist(), strict=True)
        return [Sample(tuple(ids[:n]), "length" if alive else "stop", tuple(logp[:n])) for ids, logp, n, alive in rows]


def draw(logits_BV: Tensor, uniform_B: Tensor) -> tuple[Tensor, Tensor]:
    """(token (B,), log-probability (B,)) by inverse cumulative distribution in float64."""
    logp_BV = logits_BV.double().log_softmax(-1)
    cumulative_BV = logp_BV.exp().cumsum(-1)
    token_B = torch.searchsorted(cumulative_BV, (uniform_B * cumulative_BV[:, -1])[:, None], right=True)[:, 0]
    token_B = token_B.clamp(max=logits_BV.shape[1] - 1)
    return token_B, logp_BV.gather(1, token_B[:, None])[:, 0].float()
