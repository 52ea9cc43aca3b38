"""Judgments of a rollout: one entry per response, checked before anything is trained (schemas/generated/judgments.json).

A missing entry is refused, an invalid one masked, totals that differ from our own stop the step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..core.channels import CHANNEL_COUNT, LEVELS, count_channels, use_totals
from ..errors import TrainerError
from ..model.load import file_digest
from ..text.records import Record, read_json_lines


@dataclass(frozen=True)
class Judgments:
    """counts_BH (B, 9) int64 with zeros in invalid rows; levels[b] = {atom: actual level} or None; reasons of invalid rows."""

    counts_BH: Tensor
    valid_B: Tensor
    levels: list[dict[str, str] | None]
    reasons: dict[str, str]
    digest: str


def load_judgments(path: Path, rollout_digest: str, response_ids: Sequence[str], records: Sequence[Record],
                   empty: Sequence[bool]) -> Judgments:
    """Reads and checks a judgments file against the rollout it must belong to. Empty responses are invalid without an entry."""
    entries: dict[str, dict[str, Any]] = {}
    for number, entry in read_json_lines(path):
        where = f"{path} line {number}"
        name = entry.get("response_id")
        if entry.get("rollout_digest") != rollout_digest:
            raise _refused(path, f"line {number} judges another rollout ({str(entry.get('rollout_digest'))[:19]}..., not "
                           f"{rollout_digest[:19]}...)")
        if not isinstance(name, str) or name in entries:
            raise _refused(path, f"line {number} repeats response {name}" if name in entries else f"{where} has no response_id")
        entries[name] = entry
    unknown = entries.keys() - set(response_ids)
    if unknown:
        raise _refused(path, f"it judges {sorted(unknown)[0]}, which is not in the rollout")
    missing = [name for name, is_empty in zip(response_ids, empty, strict=True) if name not in entries and not is_empty]
    if missing:
        raise _refused(path, f"{len(missing)} of {len(response_ids)} responses have no entry, first {missing[0]}")
    counts, valid, levels, reasons = [], [], [], {}
    for name, record, is_empty in zip(response_ids, records, empty, strict=True):
        entry = {"invalid": "empty response"} if is_empty else entries[name]
        reason = entry.get("invalid")
        found = None if reason is not None else _levels(entry, record, name, path)
        if reason is not None:
            reasons[name] = str(reason)
        levels.append(found)
        valid.append(found is not None)
        actual = [found[a] for a in record.atoms] if found else []
        counts.append(count_channels(record.ideals(), actual) if found else [0] * CHANNEL_COUNT)
    result = Judgments(torch.tensor(counts), torch.tensor(valid), levels, reasons, file_digest(path))
    _check_totals(result, entries, response_ids, path)
    return result


def _levels(entry: dict[str, Any], record: Record, name: str, path: Path) -> dict[str, str]:
    """The level of every atom exactly once."""
    levels = entry.get("levels")
    if not isinstance(levels, dict) or levels.keys() != record.atoms.keys():
        raise _refused(path, f"response {name} does not have every atom of record {record.id} exactly once")
    bad = next((f"{a}={v!r}" for a, v in levels.items() if v not in LEVELS), None)
    if bad:
        raise _refused(path, f"response {name} has the unknown level {bad} (levels are A, B and C)")
    return {str(a): str(v) for a, v in levels.items()}


def _check_totals(found: Judgments, entries: dict[str, dict[str, Any]], names: Sequence[str], path: Path) -> None:
    """The judge's O and U must be ours."""
    over_B, under_B = use_totals(found.counts_BH)
    for b, name in enumerate(names):
        entry = entries.get(name)
        if not found.valid_B[b] or entry is None:
            continue
        ours = (int(over_B[b]), int(under_B[b]))
        theirs = (entry.get("over_use"), entry.get("under_use"))
        if ours != theirs:
            raise _refused(path, f"response {name} says over_use, under_use = {theirs[0]}, {theirs[1]} but its levels give "
                           f"{ours[0]}, {ours[1]}")


def _refused(path: Path, why: str) -> TrainerError:
    return TrainerError("bad_judgments", f"{path} is refused: {why}; nothing was trained: judge the rollout again with `memcalib judge` and "
                        "repeat the update.")
