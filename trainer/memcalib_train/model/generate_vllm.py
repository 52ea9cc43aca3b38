"""vLLM as generator (optional extra): ids in, ids out. Not run on a GPU yet; its contract suite runs on a recorded fake.

Sampler log-probabilities are monitoring only: old log-probabilities always come from the trainer's scorer (TRAINING 4.5, 4.6).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import TrainerError
from .generate import Request, Sample
from .load import ModelConfig


class VllmGenerator:
    """`engine` is a vllm.LLM, `params` makes vllm.SamplingParams; both are given, so that the contract suite needs no vLLM."""

    def __init__(self, engine: Any, params: Callable[..., Any], end_ids: Sequence[int]) -> None:
        self.engine, self.params, self.end_ids = engine, params, list(end_ids)
        self.adapter: Any = None

    @classmethod
    def load(cls, config: ModelConfig, end_ids: Sequence[int]) -> "VllmGenerator":
        """Starts an engine on the run's base model; half the card's memory stays with the trainer."""
        try:
            from vllm import LLM, SamplingParams
        except ImportError:
            raise TrainerError("no_vllm", "vLLM is not installed: run `pip install vllm` on the GPU machine, or use --set "
                               "rollout.generator=hf.") from None
        engine = LLM(model=config.path, dtype="bfloat16", gpu_memory_utilization=0.45, enable_prefix_caching=True,
                     enable_lora=bool(config.lora_rank), max_lora_rank=max(config.lora_rank, 8))
        return cls(engine, SamplingParams, end_ids)

    def sync(self, weights: str, adapter: bool) -> None:
        """Takes up a checkpoint: an adapter by its folder, full weights by the engine's own loader. Called once per step."""
        file = Path(weights) / "weights.safetensors"
        if adapter:
            raise TrainerError("not_built", "vLLM rollouts of LoRA runs are not built yet: use --set rollout.generator=hf.")
        self.engine.apply_model(_Loader(str(file)))

    def generate(self, requests: Sequence[Request], max_new_tokens: int,
                 progress: Callable[[int, int], None] | None = None) -> list[list[Sample]]:
        prompts = [{"prompt_token_ids": list(r.prompt_ids)} for r in requests]
        params = [self.params(n=r.n, seed=r.seed, max_tokens=max_new_tokens, temperature=1.0, top_p=1.0, top_k=0, logprobs=0,
                              stop_token_ids=self.end_ids, detokenize=False) for r in requests]
        outputs = self.engine.generate(prompts, params, use_tqdm=False)
        if progress:
            progress(len(requests), len(requests))
        return [[self._sample(o, r, max_new_tokens) for o in found.outputs] for r, found in zip(requests, outputs, strict=True)]

    def _sample(self, output: Any, request: Request, limit: int) -> Sample:
        """One completion; anything but an end token or the limit is an engine failure, never a silent short answer."""
        ids = tuple(int(i) for i in output.token_ids)
        ended = bool(ids) and ids[-1] in self.end_ids
        if output.finish_reason not in ("stop", "length") or not (ended or len(ids) == limit):
            raise TrainerError("generation_failed", f"vLLM ended a response with {output.finish_reason!r} after {len(ids)} tokens (seed "
                               f"{request.seed}): run the same command again.", retryable=True)
        logprobs = tuple(float(step[i].logprob) for step, i in zip(output.logprobs, ids, strict=True)) if output.logprobs else None
        return Sample(ids, "stop" if ended else "length", logprobs)


class _Loader:
    """Runs inside the engine: loads a checkpoint's weights by their Hugging Face names."""

    def __init__(self, file: str) -> None:
        self.file = file

    def __call__(self, model: Any) -> None:
        from safetensors.torch import load_file

        model.load_weights((name.removeprefix("model."), tensor) for name, tensor in load_file(self.file).items())
