"""One renderer of prompts for SFT, rollout, scoring and evaluation (SPEC sections 6 and 7), and exact ablation.

Text first, ids second: the chat template renders to text, the text is tokenised without added special tokens, completions are
only ever ids. The digest of the renderer stands in every artefact, so two files made by different prompts cannot be mixed.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import TrainerError
from .records import Block, Record

RENDERER_VERSION = 1
TEMPLATE_FILE = Path(__file__).with_name("eval-prompt.json")
TEACHER_FILE = Path(__file__).with_name("teacher-prompt.json")
Source = Literal["memory", "atomic", "none"]
Messages = list[dict[str, str]]
_LINE_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t]*")


@dataclass(frozen=True)
class PromptTemplate:
    """Layout of schemas/generated/eval-prompt.json, which says the rules in words."""

    system: str
    memory_heading: str
    block_line: str
    query_heading: str


@dataclass(frozen=True)
class TeacherTemplate:
    """What an OPSD teacher sees after the user message: one line per atom with its ideal level and rubric (paper E.2)."""

    heading: str
    atom_line: str
    closing: str


def load_template(path: Path | None = None) -> PromptTemplate:
    """The evaluation prompt, or another file of the same shape."""
    raw = json.loads((path or TEMPLATE_FILE).read_text(encoding="utf-8"))
    return PromptTemplate(raw["system"], raw["memory_heading"], raw["block_line"], raw["query_heading"])


def load_teacher_template(path: Path | None = None) -> TeacherTemplate:
    """The OPSD teacher's addition to the prompt."""
    raw = json.loads((path or TEACHER_FILE).read_text(encoding="utf-8"))
    return TeacherTemplate(raw["heading"], raw["atom_line"], raw["closing"])


def fill(template: str, values: dict[str, str]) -> str:
    """Replaces {name} by values[name] in one pass: substituted text is never scanned again."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), template)


def one_line(text: str) -> str:
    """Line breaks (with the blanks around them) become one space; blanks at both ends go."""
    return _LINE_BREAK.sub(" ", text).strip(" \t\r\n")


def block_text(record: Record, block: Block, source: Source, without: frozenset[str]) -> str | None:
    """The text of a block line, or None for a block the ablation left empty."""
    if source == "memory":
        return one_line(block.memory_text)
    if without.issuperset(block.atom_ids):
        return None
    return one_line(record.concat_text(block, without))


def user_message(record: Record, template: PromptTemplate, source: Source = "memory",
                 without: frozenset[str] = frozenset()) -> str:
    """The user message. `without` names atoms to ablate: numbers, order and all other text stay (TRAINING section 3)."""
    if without and source != "atomic":
        raise ValueError("atoms can be left out of the atomic text only")
    if source == "none":
        return f"{template.query_heading}\n{record.question}"
    lines = [template.memory_heading]
    for number, block in enumerate(record.blocks, 1):
        text = block_text(record, block, source, without)
        if text is not None:
            lines.append(fill(template.block_line, {"n": str(number), "text": text}))
    return "\n".join([*lines, "", template.query_heading, record.question])


def messages(record: Record, template: PromptTemplate, source: Source = "memory",
             without: frozenset[str] = frozenset()) -> Messages:
    """System (unless empty) and user message of one record."""
    user = {"role": "user", "content": user_message(record, template, source, without)}
    return [{"role": "system", "content": template.system}, user] if template.system else [user]


def teacher_messages(record: Record, template: PromptTemplate, teacher: TeacherTemplate) -> Messages:
    """The prompt of an OPSD teacher: the rollout prompt, then every atom with ideal level and rubric."""
    lines = [fill(teacher.atom_line, {"text": one_line(a.text), "level": a.ideal, "action": a.action,
                                      "rubric": json.dumps(a.rubric, ensure_ascii=False, sort_keys=True)})
             for a in record.atoms.values()]
    seen = messages(record, template, "atomic")
    guide = "\n".join(part for part in (teacher.heading, *lines, teacher.closing) if part)
    seen[-1] = {"role": "user", "content": f"{seen[-1]['content']}\n\n{guide}"}
    return seen


class Renderer:
    """Messages to prompt text and ids with one tokenizer, in non-thinking mode."""

    def __init__(self, tokenizer: Any, template: PromptTemplate | None = None, teacher: TeacherTemplate | None = None) -> None:
        self.tokenizer = tokenizer
        self.template = template or load_template()
        self.teacher = teacher or load_teacher_template()
        check_tokenizer(tokenizer)
        self.digest = self._digest()

    def _digest(self) -> str:
        parts = {"renderer": RENDERER_VERSION, "template": asdict(self.template), "teacher": asdict(self.teacher),
                 "chat_template": self.tokenizer.chat_template, "vocabulary": len(self.tokenizer)}
        return "sha256:" + hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def text(self, chat: Messages) -> str:
        """Prompt text up to the first token the model generates; refuses a template that leaves a think block open."""
        rendered = self.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True, enable_thinking=False)
        if rendered.rfind("<think>") > rendered.rfind("</think>"):
            raise TrainerError("thinking_template", "the chat template opens a <think> block although enable_thinking is false: "
                               "use a non-thinking template (tokenizer.chat_template), then run the same command again.")
        return str(rendered)

    def ids(self, chat: Messages) -> list[int]:
        """Prompt ids: the rendered text, tokenised once, without added special tokens."""
        return list(self.tokenizer(self.text(chat), add_special_tokens=False)["input_ids"])

    def prompt_ids(self, record: Record, source: Source = "memory", without: frozenset[str] = frozenset()) -> list[int]:
        """Ids of a record's prompt, ablated or not."""
        return self.ids(messages(record, self.template, source, without))

    def teacher_ids(self, record: Record) -> list[int]:
        """Ids of the OPSD teacher's prompt."""
        return self.ids(teacher_messages(record, self.template, self.teacher))


def check_tokenizer(tokenizer: Any) -> None:
    """A tokenizer must know where a text ends and how to pad, and how to lay out a chat."""
    for name in ("pad_token_id", "eos_token_id"):
        if getattr(tokenizer, name) is None:
            raise TrainerError("bad_tokenizer", f"the tokenizer has no {name}: set it (tokenizer.{name.removesuffix('_id')}), save "
                               "the tokenizer beside the model, then run the same command again.")
    if not tokenizer.chat_template:
        raise TrainerError("bad_tokenizer", "the tokenizer has no chat template: use an instruct model, or save one with the tokenizer.")


def check_lengths(lengths: dict[str, int], limit: int, what: str) -> None:
    """Over-long prompts are refused at load and listed; nothing is ever truncated."""
    over = {name: n for name, n in lengths.items() if n > limit}
    if over:
        shown = ", ".join(f"{name} ({n})" for name, n in sorted(over.items(), key=lambda item: -item[1])[:20])
        more = f" and {len(over) - 20} more" if len(over) > 20 else ""
        raise TrainerError("prompt_too_long", f"{len(over)} of {len(lengths)} {what} exceed {limit} tokens: {shown}{more}; drop these "
                           "records or raise the limit with --set, then run the same command again.")
