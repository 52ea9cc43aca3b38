"""A causal model as the trainer sees it: hidden states of completion positions, then the chunked fp32 head.

Everything runs through `forward`, so that FSDP's gathering of weights (which hooks into it) always happens.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from . import head


@dataclass(frozen=True)
class Packed:
    """A micro-batch: input_BL ids right-padded, keep_BL attention mask, row and position of each of M completion tokens.

    `source_M` is the position whose hidden state predicts the token (one before it), `target_M` the token's id.
    """

    input_BL: Tensor
    keep_BL: Tensor
    row_M: Tensor
    source_M: Tensor
    target_M: Tensor


Want = Literal["logp", "logp_entropy", "top_k", "logp_at"]
StepInput = tuple[Tensor, Tensor, Tensor, Any]


class Policy(nn.Module):
    """Wraps a Hugging Face causal model. `compute` is bf16 on GPUs (autocast over fp32 master weights), fp32 on CPUs."""

    def __init__(self, model: Any, compute: torch.dtype = torch.float32, head_chunk: int = 2048) -> None:
        super().__init__()
        self.model = model
        self.compute = compute
        self.head_chunk = head_chunk

    @property
    def causal(self) -> Any:
        """The Hugging Face model under a PEFT wrapper, if there is one."""
        return self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model

    @property
    def device(self) -> torch.device:
        """Where the weights live."""
        return next(self.parameters()).device

    @contextmanager
    def as_reference(self) -> Iterator[None]:
        """Adapters off: the frozen cold-start model under a LoRA."""
        with self.model.disable_adapter():
            yield

    def forward(self, packed: Packed | None, want: Want = "logp", k: int = 0, target_MK: Tensor | None = None,
                step: StepInput | None = None) -> Any:
        """logp (M,) | (logp, entropy) | top-k (ids, log-probs) (M, K) | logp_at (M, K), all fp32; or one decoding step.

        `step` = (ids (B, L), mask (B, past + L), positions (B, L), cache) -> (logits (B, V) of the last position, cache).
        """
        if step is not None:
            return self._decode(*step)
        assert packed is not None
        with torch.autocast(self.device.type, dtype=self.compute, enabled=self.compute != torch.float32):
            hidden_BLD = self.causal.get_decoder()(input_ids=packed.input_BL, attention_mask=packed.keep_BL,
                                                   use_cache=False).last_hidden_state
        hidden_MD = hidden_BLD[packed.row_M, packed.source_M]
        lm_head = self.causal.get_output_embeddings()
        parts = (hidden_MD, lm_head.weight, getattr(lm_head, "bias", None))
        if want == "logp":
            return head.chunked_logp(*parts, packed.target_M, self.head_chunk)
        if want == "logp_entropy":
            return head.chunked_logp(*parts, packed.target_M, self.head_chunk), head.chunked_entropy(*parts, self.head_chunk)
        if want == "top_k":
            return head.chunked_top_k(*parts, k, self.head_chunk)
        assert target_MK is not None
        return head.chunked_logp_at(*parts, target_MK, self.head_chunk)

    def _decode(self, input_BL: Tensor, keep_BL: Tensor, position_BL: Tensor, cache: Any) -> tuple[Tensor, Any]:
        with torch.autocast(self.device.type, dtype=self.compute, enabled=self.compute != torch.float32):
            out = self.causal.get_decoder()(input_ids=input_BL, attention_mask=keep_BL, position_ids=position_BL,
                                            past_key_values=cache, use_cache=True)
        lm_head = self.causal.get_output_embeddings()
        return head.fp32_logits(out.last_hidden_state[:, -1], lm_head.weight, getattr(lm_head, "bias", None)), out.past_key_values
