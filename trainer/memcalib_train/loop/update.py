"""Step two: judgments to rewards, credit, gradient steps, thresholds, checkpoint. Safe to call twice; commits at the very end.

A step that cannot be trained on (no valid token, numbers that are not finite) dumps its batch and changes nothing.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from ..core.channels import CHANNEL_COUNT, CHANNELS, LOCALIZABLE
from ..core.credit import Batch, ConservationError, Credit, assign_credit
from ..core.groups import NoValidResponseError
from ..core.objectives import NoValidTokenError, distillation_advantages
from ..core.thresholds import ThresholdUpdate, update_threshold
from ..errors import TrainerError
from ..model.load import file_digest
from ..model.scorer import Scorer, self_noise
from ..text.sentences import token_sentences
from . import checkpoint
from .counterfactuals import plan_pairs, score_pairs
from .files import write_bytes, write_json
from .judgments import Judgments, load_judgments
from .metrics import distil_metrics, publish, step_metrics
from .optimise import Stats, Targets, optimise, padded
from .rollout import Rollout, load_rollout
from .session import Session

FP32_LIMIT = 1e-5


@dataclass(frozen=True)
class Assigned:
    """Credit of a step with what made it: the batch, the thresholds after it, tokens scored for counterfactuals."""

    batch: Batch
    credit: Credit
    thresholds: list[ThresholdUpdate]
    tokens_scored: int
    pairs_scored: int


def update(session: Session, step: int, judgments: Path | None) -> dict[str, Any]:
    """Trains step `step` on its rollout and judgments (none for OPSD); returns the committed state as a dict."""
    done = checkpoint.read_state(session.run, step)
    if done is not None:
        return _already(done, session, step, judgments)
    session.at(step - 1)
    clock = time.monotonic()
    rollout = load_rollout(session, step)
    empty = [not session.decode(list(c)).strip() for c in rollout.completions]
    deltas = thresholds_before(session, step)
    try:
        if session.config.distils:
            keep_B = torch.tensor([not e for e in empty]) & _untruncated(session, rollout)
            stats = optimise(session, rollout, distil_targets(session, rollout, keep_B), step)
            metrics = distil_metrics(session, rollout, stats, keep_B, step)
            after, judged = deltas, ""
        else:
            verdicts = _judged(session, rollout, judgments, empty)
            assigned = assign(session, rollout, verdicts, deltas, step)
            keep_B = verdicts.valid_B & _untruncated(session, rollout)
            stats = optimise(session, rollout, policy_targets(session, rollout, assigned.credit, keep_B), step)
            after = _thresholds_after(session, assigned, deltas)
            metrics = step_metrics(session, rollout, verdicts, assigned, stats, after, step) | _identity_control(session, rollout, step)
            judged = verdicts.digest
    except (NoValidTokenError, NoValidResponseError, ConservationError) as problem:
        raise _abort(session, rollout, step, str(problem)) from None
    except TrainerError as problem:
        if problem.code not in ("non_finite", "no_valid_token"):
            raise
        raise _abort(session, rollout, step, str(problem)) from None
    metrics["seconds"] = {"update": round(time.monotonic() - clock, 3)}
    return _commit(session, step, rollout, judged, after, metrics)


def thresholds_before(session: Session, step: int) -> tuple[list[float], list[float]]:
    """(token, sentence) thresholds of a step: those the step before left, or the starts."""
    before = checkpoint.read_state(session.run, step - 1)
    if before is not None:
        return before.thresholds, before.sentence_thresholds
    token, sentence = session.config.thresholds()
    return [token.start] * CHANNEL_COUNT, [sentence.start] * CHANNEL_COUNT


def _already(done: checkpoint.State, session: Session, step: int, judgments: Path | None) -> dict[str, Any]:
    """A second call: the same judgments return what was committed, others are refused."""
    if judgments is not None and file_digest(judgments) != done.judgments_digest:
        raise TrainerError("already_updated", f"step {step} of {session.run} was trained on other judgments than {judgments}: start a new run "
                           "to use these.")
    return done.__dict__


def _untruncated(session: Session, rollout: Rollout) -> Tensor:
    """(B,) all rows, or those that ended by themselves when truncated ones are masked."""
    return ~rollout.truncated_B if session.config.optim.mask_truncated else torch.ones_like(rollout.truncated_B)


def _judged(session: Session, rollout: Rollout, judgments: Path | None, empty: list[bool]) -> Judgments:
    if judgments is None:
        raise TrainerError("no_judgments", "this method needs judgments: write them with `memcalib judge rollout-r.jsonl` and pass "
                           "--judgments FILE.")
    found = load_judgments(judgments, rollout.digest, rollout.response_ids, rollout.records, empty)
    invalid, total = len(found.reasons), len(rollout.response_ids)
    if invalid == total:
        raise TrainerError("all_invalid", f"all {total} judgments of {judgments} are invalid; no update is made and they are kept: judge again.",
                           retryable=False)
    if invalid > session.config.run.max_invalid_share * total:
        first = next(iter(found.reasons.items()))
        raise TrainerError("too_many_invalid", f"{invalid} of {total} judgments of {judgments} are invalid ({first[0]}: {first[1]}), more than "
                           f"{session.config.run.max_invalid_share:.0%}; the run pauses and they are kept: look at the judge, or allow it "
                           "with --set run.max_invalid_share=SHARE.")
    return found


def make_batch(session: Session, rollout: Rollout, verdicts: Judgments) -> Batch:
    """The rollout batch for core/; invalid rows keep a length so that shapes stay, but enter nothing."""
    samples = session.config.rollout.samples
    rows = len(rollout.completions)
    sentence_BT = None
    if session.config.method.startswith("memcalib"):
        parts = [torch.tensor(token_sentences(list(c), session.decode, session.splitter), dtype=torch.int64) for c in rollout.completions]
        sentence_BT = padded(parts, range(rows), max(len(p) for p in parts))
    return Batch(verdicts.counts_BH, torch.arange(rows) // samples, verdicts.valid_B, rollout.length_B, sentence_BT)


def assign(session: Session, rollout: Rollout, verdicts: Judgments, deltas: tuple[list[float], list[float]], step: int) -> Assigned:
    """Counterfactual passes and credit under the weights that made the rollout."""
    config = session.config.credit_config()
    batch = make_batch(session, rollout, verdicts)
    if config.localize is None:
        return Assigned(batch, _checked(assign_credit(batch, config), batch), [], 0, 0)
    pairs = plan_pairs(batch, config, session.config.credit.score_scope, rollout.records, verdicts.levels,
                       (session.config.run.seed, step))
    before = session.scorer.tokens_scored
    found = score_pairs(pairs, rollout.records, rollout.completions, rollout.logp_old, session.renderer, session.scorer,
                        lambda n, of: session.report("counterfactuals", n, of))
    tokens = session.scorer.tokens_scored - before
    credit = assign_credit(batch, config, found, *deltas)
    rule = session.config.thresholds()[0 if config.localize.granularity == "token" else 1]
    now = deltas[0 if config.localize.granularity == "token" else 1]
    empty = ThresholdUpdate(False, 0, None, None, 0.0)
    moves = [update_threshold(now[h], credit.pools[h], rule) if h in credit.pools else replace(empty, delta_after=now[h])
             for h in range(CHANNEL_COUNT)]
    return Assigned(batch, _checked(credit, batch), moves, tokens, len(pairs))


def _checked(credit: Credit, batch: Batch) -> Credit:
    """The mean advantage must survive the cast to fp32 within 1e-5 too."""
    rows = batch.valid_B & (batch.length_B > 0)
    mean_B = credit.A_hat_BT[rows].float().sum(1) / batch.length_B[rows]
    if bool(((mean_B - (credit.S_B[rows] / credit.sigma_S)).abs() > FP32_LIMIT * (1 + mean_B.abs())).any()):
        raise ConservationError("mean advantage moved by more than 1e-5 in fp32")
    return credit


def _thresholds_after(session: Session, assigned: Assigned, deltas: tuple[list[float], list[float]]) -> tuple[list[float], list[float]]:
    """Thresholds for the next step. At sentence level the token thresholds (which the coverage uses) follow their own pools."""
    if not assigned.thresholds:
        return deltas
    moved = [m.delta_after for m in assigned.thresholds]
    local = session.config.credit_config().localize
    if local is not None and local.granularity == "token":
        _warn_saturated(session, moved)
        return moved, deltas[1]
    rule = session.config.thresholds()[0]
    pools = assigned.credit.token_pools
    return [update_threshold(deltas[0][h], pools[h], rule).delta_after if h in pools else deltas[0][h]
            for h in range(CHANNEL_COUNT)], moved


def _warn_saturated(session: Session, deltas: list[float]) -> None:
    """A threshold near d_max switches its channel's localization off."""
    high = [CHANNELS[h] for h in LOCALIZABLE if deltas[h] >= session.config.credit.d_max / 2]
    if high:
        session.say(f"thresholds of {', '.join(high)} are above d_max / 2: localization there is nearly off (lower the learning rate).")


def policy_targets(session: Session, rollout: Rollout, credit: Credit, keep_B: Tensor) -> Targets:
    """Token advantages and the reference's log-probabilities."""
    beta = session.config.optim.kl_beta
    return Targets(keep_B, credit.A_hat_BT.float(), _reference_logp(session, rollout, keep_B) if beta else None, beta)


def _reference_logp(session: Session, rollout: Rollout, keep_B: Tensor) -> list[Tensor]:
    assert session.reference is not None
    items = [(session.prompts[r.id], c) for r, c in zip(rollout.records, rollout.completions, strict=True)]
    return frozen_pass(session, lambda scorer: scorer.logp(items, lambda n, of: session.report("reference", n, of)))


def frozen_pass(session: Session, run: Any) -> Any:
    """Runs a pass with the cold-start weights: the frozen model, or the base under a LoRA."""
    scorer: Scorer | None = session.reference
    assert scorer is not None
    if session.config.model.lora_rank:
        with session.policy.as_reference():
            return run(scorer)
    return run(scorer)


def distil_targets(session: Session, rollout: Rollout, keep_B: Tensor) -> Targets:
    """OPSD: the frozen teacher sees atoms, levels and rubrics and scores the same ids (paper E.2)."""
    teacher = {r.id: tuple(session.renderer.teacher_ids(r)) for r in rollout.records}
    items = [(teacher[r.id], c) for r, c in zip(rollout.records, rollout.completions, strict=True)]
    def progress(done: int, total: int) -> None:
        session.report("teacher", done, total)

    if session.config.method == "opsd-gkd":
        top = frozen_pass(session, lambda s: s.top_k(items, session.config.optim.top_k, progress))
        return Targets(keep_B, teacher=top)
    logp = frozen_pass(session, lambda s: s.logp(items, progress))
    rows, width = range(len(items)), int(rollout.length_B.max())
    mask_BT = torch.arange(width) < rollout.length_B[:, None]
    A_BT = distillation_advantages(padded(logp, rows, width), padded(rollout.logp_old, rows, width), mask_BT)
    return Targets(keep_B, A_BT)


def _identity_control(session: Session, rollout: Rollout, step: int) -> dict[str, Any]:
    """Every so many steps: the same 16 rows scored in two batch mixes; noise above delta_tok_abs would fake evidence."""
    every = session.config.run.identity_control_every
    if not every or step % every:
        return {}
    items = [(session.prompts[r.id], c) for r, c in list(zip(rollout.records, rollout.completions, strict=True))[:16]]
    p50, p999 = self_noise(session.scorer, items)
    if p999 > session.config.credit.delta_tok_abs:
        session.say(f"scorer noise p99.9 = {p999:.3g} nat is above delta_tok_abs = {session.config.credit.delta_tok_abs}: raise it.")
    return {"scorer_noise": {"p50": p50, "p99_9": p999}}


def _abort(session: Session, rollout: Rollout, step: int, why: str) -> TrainerError:
    """Dumps the batch, forgets the weights in memory, and says what to do."""
    session.spoiled()
    file = session.run / "aborted" / f"step-{step:04}.safetensors"
    if session.world.first:
        write_bytes(file, save({"logp_old": torch.cat(rollout.logp_old), "lengths": rollout.length_B,
                                "ids": torch.tensor([i for c in rollout.completions for i in c])}))
        write_json(file.with_suffix(".json"), {"step": step, "why": why, "rollout_digest": rollout.digest})
    return TrainerError("step_aborted", f"step {step} of {session.run} was aborted and changed nothing: {why}; its batch is in {file}: look at "
                        "it, then repeat `memcalib-train update`.")


def _commit(session: Session, step: int, rollout: Rollout, judged: str, after: tuple[list[float], list[float]],
            metrics: dict[str, Any]) -> dict[str, Any]:
    """Metrics file, checkpoint (the commit), joined metrics, old checkpoints removed."""
    state = checkpoint.State(step, after[0], after[1], session.identity, rollout.digest, judged, "", metrics)
    if session.world.first:
        write_json(session.run / "metrics" / f"step-{step:04}.json", metrics)
    saved = checkpoint.save(session.run, session.policy, session.optimizer, state, session.world.first)
    session.world.barrier()
    session.step = step
    if session.world.first:
        publish(session.run, step)
        checkpoint.prune(session.run, session.config.run.keep_checkpoints)
    return (checkpoint.read_state(session.run, step) or saved).__dict__


__all__ = ["Stats", "assign", "update"]
