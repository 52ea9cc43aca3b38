"""Step one: sample responses, score them under the policy that made them, write both for the judge and the update.

Files of step r: rollout-r.safetensors (ids, lengths, old log-probs, entropies), rollout-r.jsonl (text for the judge), and
rollout-r.json, written last, with the digest. A second call returns the existing digest.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from ..errors import TrainerError
from ..model.generate import Request, Sample
from ..model.load import file_digest
from ..model.seeds import derive_seed
from ..text.records import Record
from . import checkpoint
from .files import write_bytes, write_json
from .session import Session

NAMES = ("tensors", "rows")


@dataclass(frozen=True)
class Rollout:
    """A step's rollout as read back and verified. Rows are prompt-major; completions[b] are ids with their end token."""

    digest: str
    response_ids: list[str]
    records: list[Record]
    completions: list[tuple[int, ...]]
    truncated_B: Tensor
    logp_old: list[Tensor]
    entropy: list[Tensor]
    sampler_gap: float | None

    @property
    def length_B(self) -> Tensor:
        """(B,) tokens per response."""
        return torch.tensor([len(c) for c in self.completions])


def files_of(run: Path, step: int) -> dict[str, Path]:
    """The three files of a step's rollout."""
    folder = run / "rollouts"
    return {"tensors": folder / f"rollout-{step:04}.safetensors", "rows": folder / f"rollout-{step:04}.jsonl",
            "manifest": folder / f"rollout-{step:04}.json"}


def response_id(step: int, prompt: int, sample: int) -> str:
    """s0007-p012-g3."""
    return f"s{step:04}-p{prompt:03}-g{sample}"


def rollout(session: Session, step: int) -> dict[str, Any]:
    """Samples, scores and writes step `step` (from 1); returns its manifest {digest, paths, counts}."""
    files = files_of(session.run, step)
    if files["manifest"].is_file():
        manifest: dict[str, Any] = json.loads(files["manifest"].read_text())
        return manifest
    session.at(step - 1)
    config = session.config.rollout
    records = session.step_records(step)
    if step > 1:
        session.generator.sync(str(checkpoint.folder_of(session.run, step - 1)), bool(session.config.model.lora_rank))
    requests = [Request(session.prompts[r.id], config.samples, derive_seed("rollout", session.config.run.seed, step, p))
                for p, r in enumerate(records)]
    groups = session.generator.generate(requests, config.max_new_tokens, lambda n, of: session.report("generate", n, of))
    samples = [sample for group in groups for sample in group]
    rows_of = [record for record in records for _ in range(config.samples)]
    live = [b for b, s in enumerate(samples) if s.ids]
    scored = session.scorer.logp_entropy([(session.prompts[rows_of[b].id], samples[b].ids) for b in live],
                                         lambda n, of: session.report("score", n, of))
    none = (torch.zeros(0), torch.zeros(0))
    passes = [none] * len(samples)
    for b, part in zip(live, scored, strict=True):
        passes[b] = (part[0], part[1])
    if not all(bool(torch.isfinite(logp).all()) for logp, _ in passes):
        raise TrainerError("non_finite", f"a log-probability of step {step}'s rollout is not a number, nothing was written: check the weights "
                           f"with `memcalib-train inspect --run {session.run}`, or lower --set optim.lr.")
    manifest = _write(session, step, rows_of, samples, [p[0] for p in passes], [p[1] for p in passes])
    session.world.barrier()
    return manifest


def _write(session: Session, step: int, rows_of: Sequence[Record], samples: Sequence[Sample], logp: Sequence[Tensor],
           entropy: Sequence[Tensor]) -> dict[str, Any]:
    files = files_of(session.run, step)
    per = session.config.rollout.samples
    gaps = [(torch.tensor(s.logprobs) - lp).abs() for s, lp in zip(samples, logp, strict=True) if s.logprobs]
    tensors = {"ids": torch.tensor([i for s in samples for i in s.ids], dtype=torch.int64),
               "lengths": torch.tensor([len(s.ids) for s in samples]),
               "truncated": torch.tensor([s.finish == "length" for s in samples]), "logp_old": torch.cat(list(logp)),
               "entropy": torch.cat(list(entropy))}
    rows = [judge_line(session, record, step, b // per, b % per, sample)
            for b, (record, sample) in enumerate(zip(rows_of, samples, strict=True))]
    data = save_tensors(tensors)
    weights = checkpoint.read_state(session.run, step - 1)
    head = {"step": step, "weights_digest": weights.weights_digest if weights else session.identity["fact.base_weights"],
            "renderer": session.renderer.digest, "responses": len(samples), "tokens": int(tensors["lengths"].sum())}
    digest = rollout_digest(head, data, rows)
    manifest = head | {"digest": digest, "sampler_gap": float(torch.cat(gaps).mean()) if gaps else None,
                       "tensors": files["tensors"].name, "rows": files["rows"].name}
    if session.world.first:
        text = "".join(json.dumps(row | {"rollout_digest": digest}, ensure_ascii=False) + "\n" for row in rows).encode()
        write_bytes(files["tensors"], data)
        write_bytes(files["rows"], text)
        manifest |= {"sha256": {name: file_digest(files[name]) for name in NAMES}}
        write_json(files["manifest"], manifest)
    return session.world.broadcast(manifest)


def judge_line(session: Session, record: Record, step: int, prompt: int, sample: int, drawn: Sample) -> dict[str, Any]:
    """One line of rollout-r.jsonl: everything a judge is shown (paper E.2), with the atomic text as the memory."""
    parents = {a: block.memory_id for block in record.blocks for a in block.atom_ids}
    return {"response_id": response_id(step, prompt, sample), "record_id": record.id, "current_query": record.question,
            "model_facing_memory": [{"parent_memory_id": b.memory_id, "memory_text": record.concat_text(b)} for b in record.blocks],
            "model_response": session.decode(list(drawn.ids)), "finish": drawn.finish,
            "atomic_rubrics": [{"atom_id": a.atom_id, "parent_memory_id": parents[a.atom_id], "text": a.text, "u_star": a.ideal,
                                "usage_rubric": a.rubric} for a in record.atoms.values()]}


def rollout_digest(head: dict[str, Any], tensors: bytes, rows: Sequence[dict[str, Any]]) -> str:
    """sha256 over the head, the tensor file and the judge lines."""
    total = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
    total.update(hashlib.sha256(tensors).digest())
    total.update(json.dumps(list(rows), sort_keys=True, ensure_ascii=False).encode())
    return f"sha256:{total.hexdigest()}"


def load_rollout(session: Session, step: int) -> Rollout:
    """Reads a rollout back; a missing or changed file is refused."""
    files = files_of(session.run, step)
    if not files["manifest"].is_file():
        raise TrainerError("no_rollout", f"step {step} of {session.run} has no rollout: run `memcalib-train rollout --run {session.run} --step "
                           f"{step}` first.")
    try:
        manifest = json.loads(files["manifest"].read_text())
        sums = manifest["sha256"]
    except (json.JSONDecodeError, KeyError, UnicodeDecodeError):
        raise _damaged(files["manifest"], session, step) from None
    for name in NAMES:
        if not files[name].is_file() or file_digest(files[name]) != sums[name]:
            raise _damaged(files[name], session, step)
    if manifest["renderer"] != session.renderer.digest:
        raise TrainerError("other_renderer", f"{files['manifest']} was rendered by another prompt template: use the template of the rollout.")
    data = files["tensors"].read_bytes()
    rows = [json.loads(line) for line in files["rows"].read_text(encoding="utf-8").splitlines()]
    stripped = [{k: v for k, v in row.items() if k != "rollout_digest"} for row in rows]
    head = {k: manifest[k] for k in ("step", "weights_digest", "renderer", "responses", "tokens")}
    if rollout_digest(head, data, stripped) != manifest["digest"]:
        raise _damaged(files["manifest"], session, step)
    tensors = load_tensors(data)
    sizes = tensors["lengths"].tolist()
    per = session.config.rollout.samples
    return Rollout(manifest["digest"], [row["response_id"] for row in rows],
                   [r for r in session.step_records(step) for _ in range(per)], [tuple(t.tolist()) for t in tensors["ids"].split(sizes)],
                   tensors["truncated"], list(tensors["logp_old"].split(sizes)), list(tensors["entropy"].split(sizes)),
                   manifest["sampler_gap"])


def _damaged(file: Path, session: Session, step: int) -> TrainerError:
    names = " ".join(str(p) for p in files_of(session.run, step).values())
    return TrainerError("damaged_rollout", f"{file} is damaged (its digest differs), nothing was trained: `rm {names}` and run "
                        f"`memcalib-train rollout --run {session.run} --step {step}` again.")


def describe(manifest: dict[str, Any]) -> str:
    """One line for people."""
    return f"step {manifest['step']}: {manifest['responses']} responses, {manifest['tokens']} tokens, {manifest['digest'][:19]}..."

