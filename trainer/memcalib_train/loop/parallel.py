"""One process, replicated weights, or FSDP2; launched by Accelerate (configs/*.yaml), the same numbers in each case.

Losses are divided by the tokens of the whole mini-batch, so gradients have to be summed over processes: FSDP2 averages, hence the
factor `loss_scale`; replicated gradients are summed by `sum_gradients`.
"""

import os
from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from ..model.policy import Policy
from ..model.world import World


def start_processes() -> None:
    """Joins the process group when a launcher started several processes (accelerate launch, torchrun)."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized():
        from accelerate import PartialState

        PartialState(cpu=not torch.cuda.is_available())
    if torch.cuda.is_available() and "LOCAL_RANK" in os.environ:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


def uses_fsdp() -> bool:
    """Accelerate's switch, set by configs/fsdp2.yaml."""
    return dist.is_initialized() and os.environ.get("ACCELERATE_USE_FSDP", "false").lower() in ("1", "true")


def shard(policy: Policy) -> Policy:
    """FSDP2: each decoder layer, then the rest (embedding, norm and head, in fp32); bf16 only inside the layers' passes.

    Everything is resharded after a forward: passes without a backward must not leave whole, soon stale weights behind.
    """
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    mesh = dist.device_mesh.init_device_mesh(policy.device.type, (dist.get_world_size(),))
    half = policy.compute if policy.compute != torch.float32 else None
    precision = MixedPrecisionPolicy(param_dtype=half, reduce_dtype=torch.float32 if half else None)
    for layer in policy.causal.get_decoder().layers:
        fully_shard(layer, mesh=mesh, mp_policy=precision)
    fully_shard(policy, mesh=mesh, mp_policy=MixedPrecisionPolicy(), reshard_after_forward=True)
    return policy


def whole(tensor: Tensor) -> Tensor:
    """The full tensor on CPU, gathered from shards when there are any (a collective call)."""
    full = tensor.full_tensor() if isinstance(tensor, dist.tensor.DTensor) else tensor
    return full.detach().cpu().contiguous()


def like(full: Tensor, target: Tensor) -> Tensor:
    """A full CPU tensor in the layout of `target`: sharded where the target is."""
    if isinstance(target, dist.tensor.DTensor):
        return dist.tensor.distribute_tensor(full.to(target.device), target.device_mesh, target.placements)
    return full.to(target.device)


def trainable(policy: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """Trained parameters in name order."""
    return sorted(((n, p) for n, p in policy.named_parameters() if p.requires_grad), key=lambda pair: pair[0])


def loss_scale(world: World) -> float:
    """FSDP2 divides gradients by the number of processes; our losses are already shares of one sum."""
    return float(world.size) if uses_fsdp() else 1.0


def sum_gradients(parameters: Iterable[nn.Parameter], world: World) -> None:
    """Replicated weights: sums gradients over processes (nothing in one process or under FSDP2)."""
    if world.size == 1 or uses_fsdp():
        return
    for parameter in parameters:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        dist.all_reduce(parameter.grad)


def clip(parameters: list[nn.Parameter], limit: float) -> float:
    """Gradient norm before clipping to `limit`, over all shards."""
    norm: Any = nn.utils.clip_grad_norm_(parameters, limit)
    return float(norm.full_tensor() if isinstance(norm, dist.tensor.DTensor) else norm)
