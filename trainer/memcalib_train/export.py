"""Taking a model out of a run, and looking into a run folder."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from .errors import TrainerError
from .loop import checkpoint
from .loop.config import RunConfig, from_dict
from .loop.drive import judgments_file
from .loop.files import commit_folder, write_json
from .loop.parallel import trainable
from .loop.rollout import files_of
from .model.load import folder_digest, load_policy, load_tokenizer


def read_config(run: Path) -> RunConfig:
    """The config a run was started with."""
    file = run / "config.json"
    if not file.is_file():
        raise TrainerError("no_run", f"{run} is no run folder (no config.json): check the path given to --run.")
    config: RunConfig = from_dict(RunConfig, json.loads(file.read_text()))
    return config


def export(run: Path, step: int, out: Path) -> dict[str, Any]:
    """Model folder of a step: weights in fp32, a LoRA merged once in fp32, tokenizer, export.json with the digest."""
    config = read_config(run)
    step = step or checkpoint.latest(run)
    state = checkpoint.read_state(run, step) if step else None
    if state is None:
        raise TrainerError("no_checkpoint", f"{run} holds no checkpoint of step {step}: see `memcalib-train inspect --run {run}`.")
    policy = load_policy(config.model)
    weights = load_file(checkpoint.folder_of(run, step) / "weights.safetensors")
    with torch.no_grad():
        for name, parameter in trainable(policy):
            parameter.copy_(weights[name])
    model = policy.model.merge_and_unload() if config.model.lora_rank else policy.model
    with commit_folder(out) as partial:
        model.save_pretrained(partial)
        load_tokenizer(config.model.path).save_pretrained(partial)
        report = {"run": str(run), "step": step, "method": config.method, "renderer": state.identity["fact.renderer"],
                  "checkpoint": state.weights_digest, "weights": folder_digest(str(partial))}
        write_json(partial / "export.json", report)
    return report


def inspect(run: Path) -> dict[str, Any]:
    """Steps with what each has, and the last metrics."""
    config = read_config(run)
    last = checkpoint.latest(run)
    rollouts = sorted(int(p.stem.removeprefix("rollout-")) for p in (run / "rollouts").glob("rollout-*.json"))
    waiting = [s for s in rollouts if s > last]
    state = checkpoint.read_state(run, last) if last else None
    return {"run": str(run), "method": config.method, "steps": last, "rollouts": len(rollouts),
            "waiting": [{"step": s, "judge": str(files_of(run, s)["rows"]), "judged": judgments_file(run, s).is_file()} for s in waiting],
            "aborted": sorted(p.stem for p in (run / "aborted").glob("*.json")), "thresholds": state.thresholds if state else None,
            "weights": state.weights_digest if state else None, "metrics": state.metrics if state else None}


def show(found: dict[str, Any]) -> str:
    """A few lines for people."""
    lines = [f"{found['run']}: {found['method']}, {found['steps']} steps committed, {found['rollouts']} rollouts"]
    lines += [f"step {w['step']} is rolled out and {'judged' if w['judged'] else 'waits for judgments of ' + w['judge']}"
              for w in found["waiting"]]
    lines += [f"aborted: {name}" for name in found["aborted"]]
    use = (found["metrics"] or {}).get("use")
    if use:
        lines.append(", ".join(f"{k} {v:.1f}" for k, v in use.items()))
    return "\n".join(lines)
