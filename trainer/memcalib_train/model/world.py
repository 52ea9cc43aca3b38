"""The processes of a run: one, or several under torch.distributed with equal numbers of collective calls each."""

from collections.abc import Sequence
from typing import Any, TypeVar

import torch
import torch.distributed as dist

Thing = TypeVar("Thing")


class World:
    """Rank and size; every method is the identity in a single process."""

    def __init__(self) -> None:
        on = dist.is_available() and dist.is_initialized()
        self.rank = dist.get_rank() if on else 0
        self.size = dist.get_world_size() if on else 1

    @property
    def first(self) -> bool:
        """Whether this process writes files."""
        return self.rank == 0

    def share(self, things: Sequence[Thing]) -> list[Thing]:
        """This rank's things, every size-th one, filled up with the first thing so that all ranks do equally many forwards."""
        if not things:
            return []
        turns = -(-len(things) // self.size)
        places = [turn * self.size + self.rank for turn in range(turns)]
        return [things[p] if p < len(things) else things[0] for p in places]

    def is_dummy(self, turn: int, count: int) -> bool:
        """Whether this rank's turn-th thing only fills up."""
        return turn * self.size + self.rank >= count

    def gather(self, mine: list[Thing]) -> list[Thing]:
        """The lists of all ranks, joined in rank order, on every rank."""
        if self.size == 1:
            return mine
        parts: list[Any] = [None] * self.size
        dist.all_gather_object(parts, mine)
        return [thing for part in parts for thing in part]

    def broadcast(self, thing: Thing) -> Thing:
        """Rank 0's value."""
        if self.size == 1:
            return thing
        box: list[Any] = [thing]
        dist.broadcast_object_list(box, src=0)
        value: Thing = box[0]
        return value

    def sum(self, values: list[float], device: torch.device | None = None) -> list[float]:
        """Element-wise sums over ranks in float64."""
        if self.size == 1:
            return values
        total = torch.tensor(values, dtype=torch.float64, device=device)
        dist.all_reduce(total)
        return [float(v) for v in total]

    def any(self, flag: bool, device: torch.device | None = None) -> bool:
        """Whether the flag is set on some rank."""
        return self.sum([float(flag)], device)[0] > 0

    def barrier(self) -> None:
        """Waits for all ranks."""
        if self.size > 1:
            dist.barrier()
