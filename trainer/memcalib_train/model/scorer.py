"""Log-probabilities of given completions: the same pass for old, reference, teacher and counterfactual prompts (TRAINING 4.2-4.4).

Micro-batches depend on lengths and token budget only, never on the number of processes, so a row's value does not either.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ..errors import TrainerError
from .policy import Packed, Policy, Want
from .world import World

Item = tuple[Sequence[int], Sequence[int]]
Progress = Callable[[int, int], None]


def pack(items: Sequence[Item], pad_id: int, device: torch.device | None = None) -> Packed:
    """Right-pads prompt + completion rows; completion tokens are listed row by row in order."""
    width = max(len(prompt) + len(completion) for prompt, completion in items)
    input_BL = torch.full((len(items), width), pad_id, dtype=torch.int64)
    keep_BL = torch.zeros(len(items), width, dtype=torch.int64)
    row, source, target = [], [], []
    for b, (prompt, completion) in enumerate(items):
        length = len(prompt) + len(completion)
        input_BL[b, :length] = torch.tensor([*prompt, *completion])
        keep_BL[b, :length] = 1
        row += [b] * len(completion)
        source += range(len(prompt) - 1, length - 1)
        target += completion
    tensors = (input_BL, keep_BL, torch.tensor(row), torch.tensor(source), torch.tensor(target))
    return Packed(*(t.to(device) for t in tensors)) if device is not None else Packed(*tensors)


def plan_micro_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Rows sorted by length, packed while rows x longest <= budget (at least one row each). A function of lengths only."""
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i], i))
    batches: list[list[int]] = []
    current: list[int] = []
    for i in order:
        if current and (len(current) + 1) * lengths[i] > budget:
            batches.append(current)
            current = []
        current.append(i)
    return [*batches, current] if current else batches


@dataclass
class Scorer:
    """Scores (prompt ids, completion ids) pairs with one policy. `tokens_scored` counts prompt + completion tokens."""

    policy: Policy
    pad_id: int
    token_budget: int = 16_384
    world: World = field(default_factory=World)
    tokens_scored: int = 0

    def logp(self, items: Sequence[Item], progress: Progress | None = None) -> list[Tensor]:
        """(T,) fp32 log-probabilities per item, on CPU."""
        return [part for part, in self._run(items, "logp", progress)]

    def logp_entropy(self, items: Sequence[Item], progress: Progress | None = None) -> list[tuple[Tensor, ...]]:
        """((T,) log-probabilities, (T,) entropies) per item."""
        return self._run(items, "logp_entropy", progress)

    def top_k(self, items: Sequence[Item], k: int, progress: Progress | None = None) -> list[tuple[Tensor, ...]]:
        """((T, K) ids, (T, K) log-probabilities) per item."""
        return self._run(items, "top_k", progress, k)

    @torch.no_grad()
    def _run(self, items: Sequence[Item], want: Want, progress: Progress | None, k: int = 0) -> list[tuple[Tensor, ...]]:
        self.policy.eval()
        lengths = [len(prompt) + len(completion) for prompt, completion in items]
        self.tokens_scored += sum(lengths)
        batches = plan_micro_batches(lengths, self.token_budget)
        mine: list[tuple[int, tuple[Tensor, ...]]] = []
        for turn, batch in enumerate(self.world.share(batches)):
            results = self._with_retry([items[i] for i in batch], want, k)
            if not self.world.is_dummy(turn, len(batches)):
                mine += zip(batch, results, strict=True)
            if progress:
                progress(min((turn + 1) * self.world.size, len(batches)), len(batches))
        found = dict(self.world.gather(mine))
        return [found[i] for i in range(len(items))]

    def _with_retry(self, items: Sequence[Item], want: Want, k: int) -> list[tuple[Tensor, ...]]:
        """One micro-batch; out of memory is answered once, by two halves."""
        try:
            return self._forward(items, want, k)
        except torch.OutOfMemoryError:
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
        try:
            middle = (len(items) + 1) // 2
            return [r for half in (items[:middle], items[middle:]) if half for r in self._forward(half, want, k)]
        except torch.OutOfMemoryError:
            tokens = max(len(p) + len(c) for p, c in items) * len(items)
            raise TrainerError("out_of_memory", f"scoring {tokens} tokens at once does not fit, nor does half of it: run again with "
                               f"--set model.token_budget={max(tokens // 4, 256)}.", retryable=True) from None

    def _forward(self, items: Sequence[Item], want: Want, k: int) -> list[tuple[Tensor, ...]]:
        out: Any = self.policy(pack(items, self.pad_id, self.policy.device), want, k)
        parts = out if isinstance(out, tuple) else (out,)
        sizes = [len(completion) for _, completion in items]
        split = [part.cpu().split(sizes) for part in parts]
        return [tuple(part[i] for part in split) for i in range(len(items))]


def self_noise(scorer: Scorer, items: Sequence[Item]) -> tuple[float, float]:
    """(p50, p99.9) of |difference| in nats when the same rows are scored in two batch mixes (identity control, TRAINING 4.4)."""
    first = scorer.logp(items)
    alone = [scorer.logp([item])[0] for item in items]
    gaps = torch.cat([(a - b).abs().double() for a, b in zip(first, alone, strict=True)])
    return float(gaps.quantile(0.5)), float(gaps.quantile(0.999))
