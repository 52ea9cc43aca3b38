"""Before a run: memory and time by arithmetic, and refusals that save a day (TRAINING section 4). Estimates, not measurements.

Bytes per parameter: full fine-tuning keeps fp32 master weights (4), two fp32 moments (8), a bf16 copy for the passes (2) and bf16
gradients (2) = 16; a LoRA keeps a bf16 base (2; our loader holds fp32, 4) and 16 per adapter weight. Forward = 2 FLOP a weight and token.
"""

import json
from pathlib import Path
from typing import Any

from .loop.config import RunConfig

GB = 1e9
#: Sustained FLOP/s of one H200-class card at about half of its usable peak (TRAINING section 4).
CARD_FLOPS = 4e14
JUDGE_TOKENS_IN, JUDGE_TOKENS_OUT = 4_200, 1_100


def model_shape(path: str) -> dict[str, int] | None:
    """Sizes from config.json, when the folder is at hand."""
    file = Path(path) / "config.json"
    if not path or not file.is_file():
        return None
    raw = json.loads(file.read_text())
    hidden, layers = int(raw["hidden_size"]), int(raw["num_hidden_layers"])
    heads = int(raw["num_attention_heads"])
    kv_heads = int(raw.get("num_key_value_heads") or heads)
    head = int(raw.get("head_dim") or hidden // heads)
    vocabulary, inner = int(raw["vocab_size"]), int(raw["intermediate_size"])
    layer = hidden * head * (2 * heads + 2 * kv_heads) + 3 * hidden * inner
    return {"parameters": layers * layer + vocabulary * hidden * (1 if raw.get("tie_word_embeddings") else 2), "hidden": hidden,
            "layers": layers, "vocabulary": vocabulary, "kv_bytes": 4 * layers * kv_heads * head,
            "linear_width": hidden * (2 * heads // heads) + inner}


def typical_shape(billions: float) -> dict[str, int]:
    """A Qwen3-8B-like shape scaled to so many billion parameters."""
    return {"parameters": int(billions * 1e9), "hidden": 4_096, "layers": 36, "vocabulary": 151_936, "kv_bytes": 147_456,
            "linear_width": 4_096 + 12_288}


def memory(config: RunConfig, shape: dict[str, int], cards: int) -> dict[str, float]:
    """GB per card, by part. Replicated LoRA holds everything on every card; FSDP2 divides weights and optimizer."""
    n = shape["parameters"]
    lora = config.model.lora_rank
    adapter = lora * 7 * shape["layers"] * 2 * shape["linear_width"] // 2 if lora else 0
    parts = {"trained weights, gradients and AdamW": (16 * (adapter or n)) / GB / cards, "base weights": (4 * n / GB / cards) if lora else 0.0,
             "reference": 0.0 if lora or (not config.distils and not config.optim.kl_beta) else 2 * n / GB / cards}
    rows = config.rollout.batch_rows
    length = config.data.prompt_limit + config.rollout.max_new_tokens
    parts["key-value cache of a generation batch"] = rows * length * shape["kv_bytes"] / GB
    kept = config.model.token_budget * shape["hidden"] * 2 * (2 if config.model.gradient_checkpointing else 34)
    parts["activations of a micro-batch"] = kept * shape["layers"] / GB
    parts["head chunk"] = 3 * config.model.head_chunk * shape["vocabulary"] * 4 / GB
    return parts


def seconds_per_step(config: RunConfig, shape: dict[str, int], cards: int, prompt: int = 800, response: int = 450,
                     candidates: float = 3.0) -> dict[str, float]:
    """Seconds by part for typical lengths; c counterfactual passes a response (TRAINING section 4)."""
    n, rows = shape["parameters"], config.rollout.prompts * config.rollout.samples
    forward = 2.0 * n * rows * (prompt + response) / (CARD_FLOPS * cards)
    bandwidth = 4.8e12
    steps = response * -(-rows // (config.rollout.batch_rows * cards))
    generate = steps * (2 * n + config.rollout.batch_rows * (prompt + response / 2) * shape["kv_bytes"]) / bandwidth
    local = config.method.startswith("memcalib")
    scope = {"all": 1.0, "gated+sample": 0.5, "gated": 0.4}[config.credit.score_scope]
    passes = 0.0 if not config.optim.kl_beta and not config.distils else forward
    return {"generation": generate, "old log-probabilities": forward, "reference or teacher": passes,
            "counterfactuals": forward * candidates * scope if local else 0.0,
            "update": forward * (4 if config.model.gradient_checkpointing else 3)}


def refusals(config: RunConfig, shape: dict[str, int], cards: int, card_gb: float, parts: dict[str, float]) -> list[str]:
    """Sentences that say why the run cannot work and what to change."""
    n, out = shape["parameters"], []
    fixed = 16 * n / GB
    if not config.model.lora_rank and fixed / cards > 0.9 * card_gb:
        need = -(-fixed // (0.6 * card_gb))
        out.append(f"full fine-tuning of {n / 1e9:.0f}B needs {fixed:.0f} GB before activations on {_cards(cards, card_gb)}: use LoRA "
                   f"(--set model.lora_rank=64) or {max(int(need), cards + 1)} cards")
    elif sum(parts.values()) > 0.95 * card_gb:
        largest = max(parts, key=lambda name: parts[name])
        fix = {"key-value cache of a generation batch": "halve rollout.batch_rows", "activations of a micro-batch":
               "use --set model.gradient_checkpointing=true or halve model.token_budget", "head chunk": "halve model.head_chunk"}
        out.append(f"{sum(parts.values()):.0f} GB are needed on a card of {card_gb:.0f} GB, most for {largest}: "
                   f"{fix.get(largest, 'use more cards or LoRA')}")
    if config.model.compute == "bf16" and not config.model.lora_rank and config.optim.lr > 1e-4:
        out.append(f"learning rate {config.optim.lr} is far above the paper's 1e-6 for all parameters: use --set optim.lr=1e-6")
    return out


def _cards(cards: int, card_gb: float) -> str:
    return f"one {card_gb:.0f} GB card" if cards == 1 else f"{cards} cards of {card_gb:.0f} GB"


def make_plan(config: RunConfig, cards: int, card_gb: float, billions: float | None) -> dict[str, Any]:
    """The estimate as data."""
    shape = model_shape(config.model.path) or typical_shape(billions or 8.2)
    parts = memory(config, shape, cards)
    seconds = seconds_per_step(config, shape, cards)
    steps = config.run.steps or 125
    judged = 0 if config.distils else steps * config.rollout.prompts * config.rollout.samples
    return {"parameters_billion": round(shape["parameters"] / 1e9, 2), "cards": cards, "card_gb": card_gb,
            "memory_gb_per_card": {k: round(v, 1) for k, v in parts.items()}, "memory_gb_total": round(sum(parts.values()), 1),
            "seconds_per_step": {k: round(v, 1) for k, v in seconds.items()}, "steps": steps,
            "hours": round(sum(seconds.values()) * steps / 3600, 1), "judgments": judged,
            "judge_tokens_millions": {"in": round(judged * JUDGE_TOKENS_IN / 1e6, 1), "out": round(judged * JUDGE_TOKENS_OUT / 1e6, 1)},
            "refusals": refusals(config, shape, cards, card_gb, parts)}


def show(plan: dict[str, Any]) -> str:
    """The estimate for people."""
    lines = [f"{plan['parameters_billion']} B parameters on {_cards(plan['cards'], plan['card_gb'])} (estimates by arithmetic, not measured)"]
    lines += [f"  {value:8.1f} GB  {name}" for name, value in plan["memory_gb_per_card"].items()]
    lines += [f"  {plan['memory_gb_total']:8.1f} GB  together on each card", ""]
    lines += [f"  {value:8.1f} s   {name}" for name, value in plan["seconds_per_step"].items()]
    lines.append(f"{plan['steps']} steps: about {plan['hours']} h without judging; {plan['judgments']} judgments, "
                 f"{plan['judge_tokens_millions']['in']:.0f} M tokens in and {plan['judge_tokens_millions']['out']:.0f} M out")
    lines += [f"REFUSED: {text}." for text in plan["refusals"]]
    return "\n".join(lines)
