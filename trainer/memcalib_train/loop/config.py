"""A run's configuration: one dataclass per part, printed in full into the run folder. Defaults are SPEC section 8."""

import dataclasses
import hashlib
import json
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..core.credit import METHODS, CreditConfig
from ..core.thresholds import PRESETS, ThresholdConfig
from ..errors import TrainerError
from ..model.load import ModelConfig

Method = Literal["grpo", "gdpo", "memcalib-rl", "memcalib-rl-absolute", "memcalib-rl-sentence", "memcalib-rl-sentence-absolute",
                 "opsd-pg", "opsd-gkd"]


@dataclass(frozen=True)
class DataPart:
    """`tail`: what happens to prompts that do not fill a step (`refuse`, or `drop` the last ones of each epoch's order)."""

    records: str = ""
    template: str = ""
    teacher_template: str = ""
    prompt_limit: int = 4_096
    teacher_limit: int = 16_384
    tail: Literal["refuse", "drop"] = "refuse"
    sentences: Literal["rules", "spacy"] = "rules"
    spacy_model: str = ""


@dataclass(frozen=True)
class RolloutPart:
    """64 prompts x 8 samples; temperature 1, top-p 1, no top-k: other values would bias the ratios and are refused."""

    prompts: int = 64
    samples: int = 8
    max_new_tokens: int = 2_048
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    generator: Literal["hf", "vllm"] = "hf"
    batch_rows: int = 64


@dataclass(frozen=True)
class CreditPart:
    """Localization constants (LocalizeConfig), thresholds by preset, and which pairs are scored."""

    eta: float = 0.75
    d_max: float = 3.0
    delta_tok_abs: float = 0.02
    delta_sent_abs: float = 0.01
    gamma: float = 1.0
    cap: float = 4.0
    sentence_preset: Literal["sentence", "sentence_paper_literal"] = "sentence"
    score_scope: Literal["all", "gated+sample", "gated"] = "all"


@dataclass(frozen=True)
class OptimPart:
    """AdamW at a constant rate; `mini_batch` responses of whole groups a step; token-mean loss; k3 to the reference."""

    lr: float = 1e-6
    beta1: float = 0.9
    beta2: float = 0.999
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    mini_batch: int = 256
    clip: float = 0.2
    kl_beta: float = 0.01
    mask_truncated: bool = False
    top_k: int = 64


@dataclass(frozen=True)
class RunPart:
    """`steps` 0 = one epoch. `threads` and the generation batch are part of a run's identity: they change low bits."""

    folder: str = ""
    seed: int = 42
    steps: int = 0
    threads: int = 1
    keep_checkpoints: int = 2
    max_invalid_share: float = 0.05
    identity_control_every: int = 10


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides a run's weights."""

    method: Method = "memcalib-rl"
    model: ModelConfig = field(default_factory=ModelConfig)
    data: DataPart = field(default_factory=DataPart)
    rollout: RolloutPart = field(default_factory=RolloutPart)
    credit: CreditPart = field(default_factory=CreditPart)
    optim: OptimPart = field(default_factory=OptimPart)
    run: RunPart = field(default_factory=RunPart)

    @property
    def distils(self) -> bool:
        """OPSD: a teacher instead of a judge."""
        return self.method.startswith("opsd")

    def credit_config(self) -> CreditConfig:
        """The method's preset with this run's constants."""
        preset = METHODS[self.method]
        if preset.localize is None:
            return preset
        part = self.credit
        return dataclasses.replace(preset, localize=dataclasses.replace(
            preset.localize, eta=part.eta, d_max=part.d_max, delta_tok_abs=part.delta_tok_abs, delta_sent_abs=part.delta_sent_abs,
            gamma=part.gamma, cap=part.cap))

    def thresholds(self) -> tuple[ThresholdConfig, ThresholdConfig]:
        """(token, sentence) threshold rules."""
        return PRESETS["token"], PRESETS[self.credit.sentence_preset]


#: What may change between calls on the same run; files and weights are compared by digest, not by path.
NOT_IDENTITY = {"run.folder", "run.steps", "run.keep_checkpoints", "run.max_invalid_share", "model.path", "data.records",
                "data.template", "data.teacher_template"}


def flatten(config: Any, prefix: str = "") -> dict[str, Any]:
    """{a.b: value} of nested dataclasses."""
    out: dict[str, Any] = {}
    for entry in dataclasses.fields(config):
        value = getattr(config, entry.name)
        name = f"{prefix}{entry.name}"
        out |= flatten(value, f"{name}.") if dataclasses.is_dataclass(value) else {name: value}
    return out


def apply_settings(config: Any, settings: dict[str, Any]) -> Any:
    """A copy with `a.b` = value for each setting; unknown names and wrong types are refused with the names that exist."""
    for name, value in settings.items():
        config = _set(config, name.split("."), value, name)
    return config


def _set(config: Any, path: list[str], value: Any, name: str) -> Any:
    kinds = typing.get_type_hints(type(config))
    if path[0] not in kinds or not dataclasses.is_dataclass(config):
        raise TrainerError("bad_config", f"--set {name} names no setting; there are: {', '.join(sorted(kinds))}.")
    if len(path) > 1:
        inner = getattr(config, path[0])
        if not dataclasses.is_dataclass(inner):
            raise TrainerError("bad_config", f"--set {name} names no setting: {path[0]} has no parts.")
        return dataclasses.replace(config, **{path[0]: _set(inner, path[1:], value, name)})
    return dataclasses.replace(config, **{path[0]: _convert(kinds[path[0]], value, name)})


def _convert(kind: Any, value: Any, name: str) -> Any:
    if typing.get_origin(kind) is Literal:
        if value not in typing.get_args(kind):
            raise TrainerError("bad_config", f"--set {name}={value} is not possible: choose one of {', '.join(typing.get_args(kind))}.")
        return value
    if dataclasses.is_dataclass(kind):
        return apply_settings(kind(), value)
    try:
        if kind is bool and isinstance(value, str):
            return {"true": True, "false": False}[value.lower()]
        return kind(value)
    except (ValueError, KeyError, TypeError):
        raise TrainerError("bad_config", f"--set {name}={value} is not a {kind.__name__}: give a {kind.__name__}.") from None


def from_dict(kind: Any, raw: dict[str, Any]) -> Any:
    """A config from nested JSON; what is absent keeps its default."""
    flat: dict[str, Any] = {}

    def walk(value: dict[str, Any], prefix: str) -> None:
        for key, inner in value.items():
            if isinstance(inner, dict):
                walk(inner, f"{prefix}{key}.")
            else:
                flat[f"{prefix}{key}"] = inner

    walk(raw, "")
    return apply_settings(kind(), flat)


def load_config(kind: Any, file: Path | None, settings: dict[str, Any]) -> Any:
    """Defaults, then a JSON file, then --set."""
    config = kind()
    if file is not None:
        if not file.is_file():
            raise TrainerError("no_file", f"{file} does not exist: give a JSON config, or use --set alone.")
        try:
            config = from_dict(kind, json.loads(file.read_text()))
        except json.JSONDecodeError as problem:
            raise TrainerError("bad_json", f"{file} line {problem.lineno} is not JSON ({problem.msg}): mend it and run again.") from None
    return apply_settings(config, settings)


def check(config: RunConfig) -> None:
    """What cannot work is refused before anything is loaded."""
    rollout, optim = config.rollout, config.optim
    if (rollout.temperature, rollout.top_p, rollout.top_k) != (1.0, 1.0, 0):
        raise TrainerError("bad_config", "rollouts need temperature 1, top_p 1 and top_k 0 (the ratios would be biased): remove the "
                           "rollout.temperature, rollout.top_p and rollout.top_k settings.")
    if optim.mini_batch % rollout.samples:
        raise TrainerError("bad_config", f"optim.mini_batch={optim.mini_batch} would split a group of {rollout.samples}: choose a multiple "
                           f"of {rollout.samples}.")
    if (rollout.prompts * rollout.samples) % optim.mini_batch:
        raise TrainerError("bad_config", f"{rollout.prompts * rollout.samples} responses a step are no multiple of optim.mini_batch="
                           f"{optim.mini_batch}: choose a divisor.")
    if rollout.samples < 2 and not config.distils:
        raise TrainerError("bad_config", "rollout.samples must be at least 2: a group of one has no baseline.")


def identity(config: RunConfig, facts: dict[str, Any]) -> dict[str, Any]:
    """What must stay the same on resume: the config less folder, steps and housekeeping, plus facts (data, weights, versions)."""
    kept = {name: value for name, value in flatten(config).items() if name not in NOT_IDENTITY}
    return kept | {f"fact.{name}": value for name, value in facts.items()}


def digest_of(value: Any) -> str:
    """sha256 of canonical JSON."""
    return "sha256:" + hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def refuse_other(saved: dict[str, Any], now: dict[str, Any], where: str) -> None:
    """Refuses a run or checkpoint of another config and shows the difference."""
    names = sorted(k for k in saved.keys() | now.keys() if saved.get(k) != now.get(k))
    if names:
        shown = "; ".join(f"{k}: {saved.get(k)!r} there, {now.get(k)!r} now" for k in names[:8])
        raise TrainerError("other_config", f"{where} belongs to another config ({shown}): use the same settings, or start a new run with "
                           "--set run.folder=FOLDER.")
