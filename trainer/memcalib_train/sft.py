"""SFT and cold-start through TRL's SFTTrainer and PEFT, on rows tokenised by our renderer (SPEC section 6 and 8, paper E.2).

A row is {id, messages, answer}: the evaluation messages and the answer. Loss falls on the answer and its end token only.
"""

import json
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from .errors import TrainerError
from .loop.files import commit_folder, write_json
from .model.load import ModelConfig, folder_digest, load_causal, load_tokenizer, pick_compute, pick_device
from .text.records import read_json_lines
from .text.render import Renderer, check_lengths, load_template


@dataclass(frozen=True)
class SftConfig:
    """Defaults are SPEC section 8: LoRA r 32, alpha 64, batch 32, lr 1e-4, 5 % warm-up, cosine, one epoch.

    `model.lora_rank` 0 trains all parameters. `batch` is the global batch; `device_batch` rows go through a device at once.
    """

    model: ModelConfig = field(default_factory=lambda: ModelConfig(lora_rank=32, lora_alpha=64))
    data: str = ""
    out: str = ""
    template: str = ""
    batch: int = 32
    device_batch: int = 4
    lr: float = 1e-4
    warmup_share: float = 0.05
    schedule: str = "cosine"
    epochs: float = 1.0
    steps: int = 0
    weight_decay: float = 0.0
    token_limit: int = 12_288
    seed: int = 42


def tokenise(rows: list[dict[str, Any]], renderer: Renderer) -> list[dict[str, list[int]]]:
    """{input_ids, completion_mask} per row: prompt ids, answer ids, the end token; a row with no trained token is an error."""
    out = []
    for row in rows:
        prompt = renderer.ids(row["messages"])
        answer = renderer.tokenizer(row["answer"], add_special_tokens=False)["input_ids"]
        if not answer:
            raise TrainerError("empty_answer", f"SFT row {row.get('id')} has an empty answer, so nothing would be trained on it: drop the "
                               "row, then run the same command again.")
        answer = [*answer, renderer.tokenizer.eos_token_id]
        out.append({"input_ids": prompt + answer, "completion_mask": [0] * len(prompt) + [1] * len(answer)})
    return out


def load_rows(path: Path) -> list[dict[str, Any]]:
    """SFT rows; each has messages and an answer."""
    rows = []
    for number, row in read_json_lines(path):
        if not isinstance(row.get("messages"), list) or not isinstance(row.get("answer"), str):
            raise TrainerError("bad_row", f"{path} line {number} is no SFT row (messages and answer): make the file with `memcalib sft`.")
        rows.append(row)
    if not rows:
        raise TrainerError("no_rows", f"{path} holds no row: make the file with `memcalib sft`.")
    return rows


def run_sft(config: SftConfig) -> dict[str, Any]:
    """Trains, merges a LoRA in fp32 once, writes the model folder with its digest; a finished folder is returned as it is."""
    out = Path(config.out)
    if not config.out:
        raise TrainerError("bad_config", "no output folder: give one with --set out=FOLDER.")
    if (out / "sft.json").is_file():
        done: dict[str, Any] = json.loads((out / "sft.json").read_text())
        if done["config"] != asdict(config):
            raise TrainerError("other_config", f"{out} was trained with another config: choose another --set out=FOLDER.")
        return done
    tokenizer = load_tokenizer(config.model.path)
    renderer = Renderer(tokenizer, load_template(Path(config.template)) if config.template else None)
    rows = tokenise(load_rows(Path(config.data)), renderer)
    check_lengths({f"row {i}": len(r["input_ids"]) for i, r in enumerate(rows, 1)}, config.token_limit, "SFT rows")
    with tempfile.TemporaryDirectory() as scratch:
        trainer = _trainer(config, tokenizer, rows, scratch)
        trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    if not trainer.is_world_process_zero():
        return {}
    model = _merged_fp32(trainer.accelerator.unwrap_model(trainer.model))
    with commit_folder(out) as partial:
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
        report = {"config": asdict(config), "renderer": renderer.digest, "rows": len(rows), "steps": trainer.state.global_step,
                  "first_loss": losses[0], "last_loss": losses[-1], "losses": losses,
                  "trained_tokens": sum(sum(r["completion_mask"]) for r in rows), "weights": folder_digest(str(partial))}
        write_json(partial / "sft.json", report)
    return report


def _merged_fp32(model: Any) -> Any:
    """LoRA merged once, in fp32: merging in bf16 drifts (TRAINING section 5, row 17)."""
    if not hasattr(model, "merge_and_unload"):
        return model
    return model.float().merge_and_unload()


def _trainer(config: SftConfig, tokenizer: Any, rows: list[dict[str, list[int]]], scratch: str) -> Any:
    from datasets import Dataset
    from peft import LoraConfig
    from trl import SFTConfig, SFTTrainer

    device = pick_device(config.model.device)
    bf16 = pick_compute(config.model.compute, device) == torch.bfloat16
    device_batch = min(config.device_batch, config.batch)
    world = int(torch.distributed.get_world_size()) if torch.distributed.is_initialized() else 1
    if config.batch % (device_batch * world):
        raise TrainerError("bad_config", f"batch {config.batch} is no multiple of device_batch {device_batch} x {world} processes: choose "
                           "--set device_batch=N so that it is.")
    total = config.steps or max(1, int(len(rows) * config.epochs) // config.batch)
    arguments = SFTConfig(
        output_dir=scratch, per_device_train_batch_size=device_batch,
        gradient_accumulation_steps=config.batch // (device_batch * world), learning_rate=config.lr,
        warmup_steps=int(config.warmup_share * total), lr_scheduler_type=config.schedule, num_train_epochs=config.epochs,
        max_steps=config.steps or -1, weight_decay=config.weight_decay, seed=config.seed, completion_only_loss=True, max_length=None,
        packing=False, bf16=bf16, use_cpu=device.type == "cpu", save_strategy="no", report_to=[], logging_steps=10,
        disable_tqdm=True, gradient_checkpointing=config.model.gradient_checkpointing, dataloader_pin_memory=False)
    lora = LoraConfig(r=config.model.lora_rank, lora_alpha=config.model.lora_alpha or 2 * config.model.lora_rank, lora_dropout=0.0,
                      target_modules="all-linear", task_type="CAUSAL_LM") if config.model.lora_rank else None
    return SFTTrainer(model=load_causal(config.model.path, config.model.attention), args=arguments, processing_class=tokenizer,
                      train_dataset=Dataset.from_list(rows), peft_config=lora)
