"""Writes schemas/generated/eval-prompt.parity.json: a dozen records with the messages both renderers must produce.

    trainer/.venv/bin/python trainer/scripts/make-parity.py [--check]
"""

import json
import sys
from pathlib import Path

from memcalib_train.text.records import parse_record
from memcalib_train.text.render import TEMPLATE_FILE, load_template, messages

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "schemas" / "generated" / "eval-prompt.parity.json"


def record(record_id, question, blocks, levels):
    """A published-shape record from [(memory_text, [atom texts])]."""
    memories, out, n = [], [], 0
    for b, (memory_text, texts) in enumerate(blocks, 1):
        ids = []
        for text in texts:
            n += 1
            ids.append(f"a{n}")
            memories.append({"atom_id": f"a{n}", "parent_memory_id": f"m{b}", "text": text, "u_star": levels[n - 1],
                             "memory_action": "ignore" if levels[n - 1] == "A" else "apply", "usage_rubric": {}})
        out.append({"parent_memory_id": f"m{b}", "memory_text": memory_text,
                    "atomic_concat_text": " ".join(t.strip() for t in texts), "atom_ids": ids})
    return {"id": record_id, "domain": "general", "question": question, "memory_blocks": out, "memories": memories}


TRAVEL = record("travel", "Where should I go in May?", [
    ("The user dislikes crowds and has already seen Rome.", ["The user dislikes crowds.", "The user has already seen Rome."]),
    ("The user keeps a red bicycle in the cellar.", ["The user keeps a red bicycle in the cellar."]),
    ("The user has 900 euros to spend and wants to travel by train, with a dog.",
     ["The user has 900 euros to spend.", "The user wants to travel by train.", "The user has a dog."])], "CBABCA")
ODD = record("odd", "  Is {text} or {n} safe?\nAnswer\tbriefly.  ", [
    ("First line.\r\n  Second line.\n\nThird [2] line {n}.", ["  The user wrote {text}. ", "The user wrote\n{query_heading}."]),
    ("Tabs\tstay. Größe 1,80 m — 日本語 ☂ $& \\1 $1", ["The user is 1,80 m tall. ☂ $& \\1"])], "BAC")

VECTORS = [
    ("memory text, three blocks", TRAVEL, "memory", []),
    ("atomic text is the atoms joined by one space", TRAVEL, "atomic", []),
    ("without memory", TRAVEL, "none", []),
    ("one atom of two left out", TRAVEL, "atomic", ["a1"]),
    ("the last atom of a block left out", TRAVEL, "atomic", ["a6"]),
    ("the middle atom left out", TRAVEL, "atomic", ["a5"]),
    ("a block left empty is omitted, the others keep their numbers", TRAVEL, "atomic", ["a3"]),
    ("atoms of several blocks left out", TRAVEL, "atomic", ["a2", "a3", "a4"]),
    ("the first block left empty", TRAVEL, "atomic", ["a1", "a2"]),
    ("all atoms left out: the same template without block lines", TRAVEL, "atomic", ["a1", "a2", "a3", "a4", "a5", "a6"]),
    ("line breaks, braces, dollar signs and other scripts in memory text", ODD, "memory", []),
    ("line breaks, braces, dollar signs and other scripts in atoms", ODD, "atomic", []),
    ("an odd atom left out", ODD, "atomic", ["a2"]),
]


def main() -> int:
    template = load_template(TEMPLATE_FILE)
    vectors = [{"name": name, "record": raw, "source": source, "without": without,
                "messages": messages(parse_record(raw, name), template, source, frozenset(without))}
               for name, raw, source, without in VECTORS]
    text = json.dumps({"about": "Record in, messages out, for eval-prompt.json; read by the TypeScript and the Python tests. "
                       "Written by trainer/scripts/make-parity.py.", "vectors": vectors}, ensure_ascii=False, indent=1) + "\n"
    if "--check" in sys.argv:
        return 0 if TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    print(f"{len(vectors)} vectors written to {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
