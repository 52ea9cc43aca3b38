"""Loading and saving: safetensors only, fp32 master weights, LoRA or all parameters."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from ..errors import TrainerError
from .policy import Policy


@dataclass(frozen=True)
class ModelConfig:
    """`lora_rank` 0 trains all parameters. `compute` auto = bf16 on a GPU, fp32 on a CPU; master weights are always fp32."""

    path: str = ""
    lora_rank: int = 0
    lora_alpha: int = 0
    compute: str = "auto"
    device: str = "auto"
    attention: str = "sdpa"
    gradient_checkpointing: bool = False
    token_budget: int = 16_384
    head_chunk: int = 2048


def pick_device(name: str) -> torch.device:
    """`auto` is this process's GPU where there is one."""
    if name != "auto":
        return torch.device(name)
    return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")


def pick_compute(name: str, device: torch.device) -> torch.dtype:
    """bf16 on GPUs, fp32 on CPUs, unless said otherwise."""
    names = {"bf16": torch.bfloat16, "fp32": torch.float32, "auto": torch.float32 if device.type == "cpu" else torch.bfloat16}
    if name not in names:
        raise TrainerError("bad_config", f"model.compute={name} is unknown: use --set model.compute=auto, bf16 or fp32.")
    return names[name]


def load_tokenizer(path: str) -> Any:
    """The tokenizer saved beside the model."""
    _folder(path)
    return AutoTokenizer.from_pretrained(path)


def load_causal(path: str, attention: str = "sdpa", dtype: torch.dtype = torch.float32) -> Any:
    """The model in fp32 from safetensors; models whose logits are not hidden x head are refused."""
    folder = _folder(path)
    if not any(folder.glob("*.safetensors")):
        raise TrainerError("bad_model", f"{folder} holds no .safetensors file: convert the weights with save_pretrained, then run again.")
    model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, attn_implementation=attention, use_safetensors=True)
    for name in ("final_logit_softcapping", "logits_scaling", "logit_scale"):
        if getattr(model.config, name, None) not in (None, 1, 1.0):
            raise TrainerError("bad_model", f"the model at {folder} scales its logits ({name}), which the chunked head does not know: "
                               "use a Qwen, Llama or Mistral shaped model.")
    return model


def _folder(path: str) -> Path:
    folder = Path(path)
    if not path or not (folder / "config.json").is_file():
        raise TrainerError("bad_model", f"{path or '(no path)'} is not a model folder: give one with --set model.path=FOLDER "
                           "(config.json, *.safetensors, tokenizer files).")
    return folder


def load_policy(config: ModelConfig) -> Policy:
    """The trainable policy: all parameters in fp32, or a fresh LoRA on all linear layers of a frozen base."""
    device = pick_device(config.device)
    model = load_causal(config.path, config.attention)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if config.lora_rank:
        from peft import LoraConfig, get_peft_model

        torch.manual_seed(0)
        lora = LoraConfig(r=config.lora_rank, lora_alpha=config.lora_alpha or 2 * config.lora_rank, lora_dropout=0.0,
                          target_modules="all-linear", task_type="CAUSAL_LM")
        if config.gradient_checkpointing:
            model.enable_input_require_grads()
        model = get_peft_model(model, lora)
    return Policy(model.to(device), pick_compute(config.compute, device), config.head_chunk)


def load_frozen(config: ModelConfig) -> Policy:
    """The cold-start model as reference or teacher: frozen, in the compute type."""
    device = pick_device(config.device)
    compute = pick_compute(config.compute, device)
    model = load_causal(config.path, config.attention, compute).requires_grad_(False)
    return Policy(model.to(device), compute, config.head_chunk).eval()


def end_ids(policy: Policy, tokenizer: Any) -> list[int]:
    """Ids that end a response: the generation config's and the tokenizer's."""
    listed = policy.causal.generation_config.eos_token_id
    found = listed if isinstance(listed, list) else [listed]
    return sorted({int(i) for i in [*found, tokenizer.eos_token_id] if i is not None})


def file_digest(path: Path) -> str:
    """sha256 of a file, as `sha256:...`."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            total.update(block)
    return f"sha256:{total.hexdigest()}"


def folder_digest(path: str) -> str:
    """sha256 over the weight files of a model folder, in name order."""
    total = hashlib.sha256()
    for file in sorted(_folder(path).glob("*.safetensors")):
        total.update(f"{file.name} {file_digest(file)}\n".encode())
    return f"sha256:{total.hexdigest()}"
