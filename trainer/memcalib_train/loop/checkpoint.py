"""Checkpoints: trained weights, AdamW moments, thresholds, RNG, step; a folder that exists whole or not at all."""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from ..errors import TrainerError
from ..model.load import file_digest
from .files import commit_folder, write_json
from .parallel import like, trainable, whole

Optimizer = torch.optim.AdamW


@dataclass(frozen=True)
class State:
    """What a step leaves behind besides weights. Digests tie it to its rollout, judgments and config."""

    step: int
    thresholds: list[float]
    sentence_thresholds: list[float]
    identity: dict[str, Any]
    rollout_digest: str
    judgments_digest: str
    weights_digest: str
    metrics: dict[str, Any]


def folder_of(run: Path, step: int) -> Path:
    """run/checkpoints/step-0007."""
    return run / "checkpoints" / f"step-{step:04}"


def latest(run: Path) -> int:
    """The newest committed step, 0 when there is none."""
    steps = [int(p.name.removeprefix("step-")) for p in (run / "checkpoints").glob("step-*") if (p / "state.json").is_file()]
    return max(steps, default=0)


def read_state(run: Path, step: int) -> State | None:
    """The committed state of a step, or None."""
    file = folder_of(run, step) / "state.json"
    if not file.is_file():
        return None
    return State(**json.loads(file.read_text()))


def optimizer_tensors(policy: Any, optimizer: Optimizer) -> dict[str, Tensor]:
    """AdamW's moments and step count by parameter name, whole, on CPU."""
    out = {}
    for name, parameter in trainable(policy):
        for key, value in optimizer.state.get(parameter, {}).items():
            out[f"{name}|{key}"] = whole(value) if torch.is_tensor(value) else torch.tensor(float(value))
    return out


def save(run: Path, policy: Any, optimizer: Optimizer, state: State, first: bool) -> State:
    """Writes checkpoint `state.step`; returns the state with the digest of its weights. All processes must call it."""
    weights = {name: whole(parameter) for name, parameter in trainable(policy)}
    moments = optimizer_tensors(policy, optimizer)
    if not first:
        return state
    target = folder_of(run, state.step)
    with commit_folder(target) as partial:
        save_file(weights, partial / "weights.safetensors")
        save_file(moments, partial / "optimizer.safetensors")
        save_file({"torch_cpu": torch.get_rng_state()}, partial / "rng.safetensors")
        digest = file_digest(partial / "weights.safetensors")
        state = State(**(asdict(state) | {"weights_digest": digest}))
        write_json(partial / "state.json", asdict(state))
    return state


def restore(run: Path, step: int, policy: Any, optimizer: Optimizer) -> None:
    """Loads weights, moments and RNG of a committed step into the live objects."""
    folder = folder_of(run, step)
    state = read_state(run, step)
    if state is None:
        raise TrainerError("no_checkpoint", f"{folder} does not exist: the steps before {step + 1} have to be updated first, see "
                           f"`memcalib-train inspect --run {run}`.")
    if file_digest(folder / "weights.safetensors") != state.weights_digest:
        raise TrainerError("damaged_checkpoint", f"{folder}/weights.safetensors is damaged (its digest differs): delete {folder} and repeat "
                           f"`memcalib-train update` of step {step}.")
    weights = load_file(folder / "weights.safetensors")
    moments = load_file(folder / "optimizer.safetensors")
    with torch.no_grad():
        for name, parameter in trainable(policy):
            parameter.copy_(like(weights[name], parameter))
            found = {key.split("|")[1]: value for key, value in moments.items() if key.split("|")[0] == name}
            optimizer.state[parameter] = {key: value if key == "step" else like(value, parameter) for key, value in found.items()}
    torch.set_rng_state(load_file(folder / "rng.safetensors")["torch_cpu"])


def prune(run: Path, keep: int) -> None:
    """Removes all but the newest `keep` checkpoints (0 keeps all)."""
    steps = sorted((run / "checkpoints").glob("step-*"))
    for folder in steps[:-keep] if keep else []:
        shutil.rmtree(folder, ignore_errors=True)
