"""MiniMem: a memory-use environment small enough for a 77 k parameter model, with a rule-based judge (TRAINING 6.3).

Six memories, one value each; the ideal level is the value's class (v mod 3), with B and C swapped under the second query. A response
has 48 tokens with a decision slot every fourth: slot j is memory j's headline (level C), slot 6 + j its body (level B), anything
else is filler. It speaks the same records, prompts and judgments as the real thing; it proves plumbing and credit, nothing about
language models.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from .core.channels import LEVELS, count_channels, use_totals
from .model.seeds import generator_for
from .text.records import Record, parse_record
from .text.render import PromptTemplate, TeacherTemplate

MEMORIES, VALUES, FILLERS = 6, 18, 8
SLOT_EVERY, SLOTS = 4, 12
RESPONSE_TOKENS = SLOT_EVERY * SLOTS
TEMPLATE = PromptTemplate(system="", memory_heading="", block_line="M{n} {text}", query_heading="QRY")
TEACHER = TeacherTemplate(heading="LEV", atom_line="{level}", closing="")
CHAT = "{% for m in messages %}<bos> {{ m.content }}{% endfor %}{% if add_generation_prompt %} <ans>{% endif %}"
VALUE_NAMES = [f"v{i:02}" for i in range(VALUES)]
FILLER_NAMES = [f"f{i}" for i in range(FILLERS)]
VOCABULARY = ["<pad>", "<eos>", "<bos>", "<ans>", "<unk>", "QRY", "q0", "q1", "LEV", *LEVELS, *[f"M{i + 1}" for i in range(MEMORIES)],
              *VALUE_NAMES, *FILLER_NAMES]


def make_tokenizer() -> Any:
    """A word-level tokenizer whose chat template is `<bos> content <ans>`."""
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(VOCABULARY)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>",
                                   clean_up_tokenization_spaces=False)
    fast.chat_template = CHAT
    return fast


def make_model(seed: int = 0, hidden: int = 64, layers: int = 2) -> Any:
    """A Qwen3-shaped model; initializer_range 0.08 matters (with 0.02 copying is not learnt in 1,000 steps)."""
    torch.manual_seed(seed)
    config = Qwen3Config(vocab_size=len(VOCABULARY), hidden_size=hidden, intermediate_size=2 * hidden, num_hidden_layers=layers,
                         num_attention_heads=4, num_key_value_heads=2, head_dim=hidden // 4, tie_word_embeddings=True,
                         initializer_range=0.08, max_position_embeddings=512, pad_token_id=0, eos_token_id=1, bos_token_id=2)
    return Qwen3ForCausalLM(config)


def save_model(folder: Path, model: Any) -> None:
    """Model, tokenizer, as `model.path` wants them."""
    model.save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)


def ideal_level(value: int, query: int) -> str:
    """Class 0 is A; classes 1 and 2 are B and C, or C and B under the second query."""
    level = value % 3
    return LEVELS[3 - level if query and level else level]


def make_raw_record(number: int, generator: torch.Generator) -> dict[str, Any]:
    """One record in the published shape: six values without repeats, 40 % of class 0."""
    query = int(torch.randint(2, (1,), generator=generator))
    values: list[int] = []
    while len(values) < MEMORIES:
        group = 0 if float(torch.rand(1, generator=generator)) < 0.4 else 1 + int(torch.randint(2, (1,), generator=generator))
        value = 3 * int(torch.randint(VALUES // 3, (1,), generator=generator)) + group
        if value not in values:
            values.append(value)
    levels = [ideal_level(v, query) for v in values]
    memories = [{"atom_id": f"a{i + 1}", "parent_memory_id": f"m{i + 1}", "text": VALUE_NAMES[v], "u_star": level,
                 "memory_action": "ignore" if level == "A" else "apply", "usage_rubric": {}}
                for i, (v, level) in enumerate(zip(values, levels, strict=True))]
    blocks = [{"parent_memory_id": f"m{i + 1}", "memory_text": VALUE_NAMES[v], "atomic_concat_text": VALUE_NAMES[v],
               "atom_ids": [f"a{i + 1}"]} for i, v in enumerate(values)]
    return {"id": f"mini-{number:05}", "domain": "general", "question": f"q{query}", "memory_blocks": blocks, "memories": memories}


def make_raw_records(count: int, seed: int) -> list[dict[str, Any]]:
    """Seeded records."""
    generator = generator_for("minimem", seed)
    return [make_raw_record(i, generator) for i in range(count)]


def write_records(path: Path, count: int, seed: int) -> None:
    """A JSON Lines data file."""
    path.write_text("".join(json.dumps(raw) + "\n" for raw in make_raw_records(count, seed)))


def response_words(record: Record, levels: Sequence[str], generator: torch.Generator) -> list[str]:
    """The 48 words of a response that uses each memory at the given level."""
    words = [FILLER_NAMES[int(i)] for i in torch.randint(FILLERS, (RESPONSE_TOKENS,), generator=generator)]
    for j, (atom, level) in enumerate(zip(record.atoms.values(), levels, strict=True)):
        if level != "A":
            words[SLOT_EVERY * (j if level == "C" else MEMORIES + j)] = atom.text
    return words


def judge_words(record: Record, words: Sequence[str]) -> list[str]:
    """Actual levels: in its headline C, anywhere else B, absent A; more than a quarter values is a dump, all C."""
    if sum(word in VALUE_NAMES for word in words) > RESPONSE_TOKENS // 4:
        return ["C"] * MEMORIES
    levels = []
    for j, atom in enumerate(record.atoms.values()):
        headline = words[SLOT_EVERY * j] if len(words) > SLOT_EVERY * j else ""
        levels.append("C" if headline == atom.text else "B" if atom.text in words else "A")
    return levels


@dataclass(frozen=True)
class Demonstrations:
    """How cold-start answers are made. `redrawn`: share of levels drawn at random. `correlated`: one level for all memories of an
    answer, from which each memory departs to its ideal level (20 %) or a random one (10 %). `stated`: share of prompts that state the
    levels and follow them (needed by an OPSD teacher). `dropped`: share of prompts that lack some memories (numbers stay), so that
    lookups go by number and survive ablation.
    """

    redrawn: float = 0.6
    correlated: bool = False
    stated: float = 1 / 3
    dropped: float = 0.0


def draw_levels(record: Record, style: Demonstrations, g: torch.Generator) -> list[str]:
    """The levels one demonstration follows."""
    def random_level() -> str:
        return LEVELS[int(torch.randint(3, (1,), generator=g))]

    ideal = record.ideals()
    if not style.correlated:
        return [random_level() if float(torch.rand(1, generator=g)) < style.redrawn else level for level in ideal]
    common = random_level()

    def own_level(level: str) -> str:
        kind = float(torch.rand(1, generator=g))
        return level if kind < 0.2 else random_level() if kind < 0.3 else common

    return [own_level(level) for level in ideal]


def demonstrations(count: int, seed: int, style: Demonstrations) -> list[dict[str, Any]]:
    """SFT rows {id, messages, answer}."""
    from .text.render import messages, teacher_messages

    g = generator_for("minimem-demonstrations", seed)
    rows = []
    for i, raw in enumerate(make_raw_records(count, seed + 1)):
        record = parse_record(raw, "minimem")
        stated = float(torch.rand(1, generator=g)) < style.stated
        levels = record.ideals() if stated else draw_levels(record, style, g)
        gone: frozenset[str] = frozenset()
        if style.dropped and not stated and float(torch.rand(1, generator=g)) < style.dropped:
            gone = frozenset(a for a in record.atoms if float(torch.rand(1, generator=g)) < 0.35)
            levels = ["A" if a in gone else level for a, level in zip(record.atoms, levels, strict=True)]
        chat = teacher_messages(record, TEMPLATE, TEACHER) if stated else messages(record, TEMPLATE, "atomic", gone)
        rows.append({"id": f"demo-{i:05}", "messages": chat, "answer": " ".join(response_words(record, levels, g))})
    return rows


def judge_rollout(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Judgment entries for rollout lines (the schema of schemas/generated/judgments.json), by rule."""
    entries = []
    for line in lines:
        head = {"response_id": line["response_id"], "rollout_digest": line["rollout_digest"]}
        if not line["model_response"].strip():
            entries.append(head | {"invalid": "empty response"})
            continue
        ideal = [rubric["u_star"] for rubric in line["atomic_rubrics"]]
        record = parse_record(line_record(line), "rollout")
        levels = judge_words(record, line["model_response"].split())
        over, under = use_totals(torch.tensor([count_channels(ideal, levels)]))
        entries.append(head | {"levels": dict(zip(record.atoms, levels, strict=True)), "over_use": int(over[0]),
                               "under_use": int(under[0])})
    return entries


def line_record(line: dict[str, Any]) -> dict[str, Any]:
    """The record a rollout line speaks of, rebuilt from what the judge is shown."""
    memories = [{"atom_id": a["atom_id"], "text": a["text"], "u_star": a["u_star"]} for a in line["atomic_rubrics"]]
    blocks = [{"parent_memory_id": m["parent_memory_id"], "memory_text": m["memory_text"],
               "atom_ids": [a["atom_id"] for a in line["atomic_rubrics"] if a["parent_memory_id"] == m["parent_memory_id"]]}
              for m in line["model_facing_memory"]]
    return {"id": line["record_id"], "question": line["current_query"], "memories": memories, "memory_blocks": blocks}
