"""Metrics of a step: metrics/step-r.json, joined into metrics.jsonl. The schema is metrics.schema.json beside this file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..core.channels import CHANNELS, LOCALIZABLE
from ..core.dynamics import (
    fallback_counts,
    group_outcomes,
    localization_counts,
    multiplier_spread,
    trigger_counts,
    use_summary,
)
from .files import write_bytes
from .judgments import Judgments
from .optimise import Stats
from .rollout import Rollout
from .session import Session

if TYPE_CHECKING:
    from .update import Assigned

SCHEMA = Path(__file__).with_name("metrics.schema.json")


def _common(session: Session, rollout: Rollout, stats: Stats, keep_B: Tensor, step: int) -> dict[str, Any]:
    length_B = rollout.length_B.double()
    entropy = torch.cat(rollout.entropy)
    return {"step": step, "method": session.config.method, "responses": len(rollout.completions), "trained_responses": int(keep_B.sum()),
            "truncated": int(rollout.truncated_B.sum()), "tokens": stats.tokens,
            "length": {"mean": float(length_B.mean()), "max": float(length_B.max()), "min": float(length_B.min())},
            "entropy": float(entropy.double().mean()) if len(entropy) else 0.0,
            "loss": sum(stats.losses) / len(stats.losses), "kl": sum(stats.kl) / len(stats.kl),
            "clip_share": stats.clipped_tokens / max(stats.tokens, 1), "grad_norm": stats.grad_norms, "lr": session.config.optim.lr,
            "sampler_gap": rollout.sampler_gap}


def distil_metrics(session: Session, rollout: Rollout, stats: Stats, keep_B: Tensor, step: int) -> dict[str, Any]:
    """OPSD has no judgments, so no rewards and no credit to report."""
    return _common(session, rollout, stats, keep_B, step)


def step_metrics(session: Session, rollout: Rollout, verdicts: Judgments, assigned: "Assigned", stats: Stats,
                 after: tuple[list[float], list[float]], step: int) -> dict[str, Any]:
    """Everything Appendix J asks for, as counts, beside loss, lengths, KL and the six benchmark metrics."""
    batch, credit = assigned.batch, assigned.credit
    varied, outcome = group_outcomes(batch, credit)
    out = _common(session, rollout, stats, verdicts.valid_B, step)
    out |= {"invalid": len(verdicts.reasons), "invalid_reasons": sorted(set(verdicts.reasons.values()))[:10],
            "use": use_summary(batch), "trigger": trigger_counts(batch), "nondegenerate": varied, "outcome": outcome,
            "sigma_S": credit.sigma_S, "zero_advantage_responses": int((credit.S_B[batch.valid_B] == 0).sum()),
            "conservation": {"channel": credit.channel_error, "merged": credit.merged_error}}
    local = session.config.credit_config().localize
    if local is not None:
        moves = assigned.thresholds
        out |= {"localized": localization_counts(batch, credit), "fallback": fallback_counts(batch, credit),
                "thresholds": {CHANNELS[h]: after[0][h] for h in LOCALIZABLE},
                "sentence_thresholds": {CHANNELS[h]: after[1][h] for h in LOCALIZABLE},
                "pool": {CHANNELS[h]: moves[h].scores for h in LOCALIZABLE},
                "pool_quantile": {CHANNELS[h]: moves[h].quantile for h in LOCALIZABLE},
                "multiplier": multiplier_spread(batch, credit, local.eta, local.cap),
                "counterfactual": {"pairs": assigned.pairs_scored, "tokens": assigned.tokens_scored}}
    return out


def publish(run: Path, last: int) -> None:
    """metrics.jsonl = the step files up to the last committed step, in order."""
    lines = []
    for step in range(1, last + 1):
        file = run / "metrics" / f"step-{step:04}.json"
        if file.is_file():
            lines.append(json.dumps(json.loads(file.read_text())) + "\n")
    write_bytes(run / "metrics.jsonl", "".join(lines).encode())
