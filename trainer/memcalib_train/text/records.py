"""Benchmark records as the published files hold them (SPEC section 2), checked at load."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.channels import LEVELS
from ..errors import TrainerError


@dataclass(frozen=True)
class Atom:
    """One proposition with its ideal level (`u_star`) and rubric; the model never sees more than its text."""

    atom_id: str
    text: str
    ideal: str
    action: str
    rubric: dict[str, Any]


@dataclass(frozen=True)
class Block:
    """One memory block; `atom_ids` is the truth about which atoms it holds and in which order."""

    memory_id: str
    memory_text: str
    atom_ids: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """One example. `atoms` is keyed by id and ordered as the record lists them."""

    id: str
    question: str
    blocks: tuple[Block, ...]
    atoms: dict[str, Atom]

    def concat_text(self, block: Block, without: frozenset[str] = frozenset()) -> str:
        """The block's `atomic_concat_text`, less some atoms: texts stripped, joined by one space in block order."""
        return " ".join(self.atoms[a].text.strip() for a in block.atom_ids if a not in without)

    def ideals(self) -> list[str]:
        """Ideal levels in record order."""
        return [atom.ideal for atom in self.atoms.values()]


def parse_record(raw: dict[str, Any], where: str) -> Record:
    """A Record from one JSON object; refuses a row without atoms, an unknown level, a wrong concat text."""
    record_id = raw.get("id")
    if not isinstance(record_id, str) or not record_id:
        raise _refused(where, "it has no id")
    name = f"{where} (record {record_id})"
    atoms: dict[str, Atom] = {}
    for entry in raw.get("memories") or []:
        level = entry.get("u_star")
        if level not in LEVELS:
            raise _refused(name, f"atom {entry.get('atom_id')} has level {level!r}, which is not A, B or C")
        atom = Atom(entry["atom_id"], entry["text"], level, entry.get("memory_action", ""), entry.get("usage_rubric") or {})
        if atom.atom_id in atoms:
            raise _refused(name, f"atom {atom.atom_id} stands twice")
        atoms[atom.atom_id] = atom
    if not atoms:
        raise _refused(name, "it has no atoms, so it can earn no reward")
    blocks = tuple(Block(b["parent_memory_id"], b["memory_text"], tuple(b["atom_ids"])) for b in raw.get("memory_blocks") or [])
    placed = [a for b in blocks for a in b.atom_ids]
    if sorted(placed) != sorted(atoms):
        raise _refused(name, "its blocks do not hold every atom exactly once")
    record = Record(record_id, raw["question"], blocks, atoms)
    for block, entry in zip(blocks, raw["memory_blocks"], strict=True):
        if entry.get("atomic_concat_text") not in (None, record.concat_text(block)):
            raise _refused(name, f"atomic_concat_text of block {block.memory_id} is not its atoms' texts joined by one space")
    return record


def _refused(where: str, why: str) -> TrainerError:
    return TrainerError("bad_record", f"{where} is refused: {why}; mend or drop the row, then run the same command again.")


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number from 1, object) of a JSON Lines file."""
    if not path.is_file():
        raise TrainerError("no_file", f"{path} does not exist: give the path of a JSON Lines file.")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except json.JSONDecodeError as problem:
                raise TrainerError("bad_json", f"{path} line {number} is not JSON ({problem.msg}): write the file again.") from None
            yield number, value


def load_records(path: Path) -> list[Record]:
    """All records of a JSON Lines file; ids must be unique."""
    records = [parse_record(raw, f"{path} line {number}") for number, raw in read_json_lines(path)]
    _unique(record.id for record in records)
    if not records:
        raise TrainerError("no_records", f"{path} holds no record: export again with `memcalib export`.")
    return records


def _unique(ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for record_id in ids:
        if record_id in seen:
            raise TrainerError("bad_record", f"record {record_id} stands twice in the data: drop one and run again.")
        seen.add(record_id)
