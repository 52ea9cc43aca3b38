"""One renderer: parity vectors, exact ablation, refusals."""

import copy
import json
from pathlib import Path

import pytest
from toys import CHATML, byte_tokenizer

from memcalib_train.errors import TrainerError
from memcalib_train.text.records import load_records, parse_record
from memcalib_train.text.render import TEMPLATE_FILE, Renderer, check_lengths, load_template, messages, user_message

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas" / "generated"
PARITY = json.loads((SCHEMAS / "eval-prompt.parity.json").read_text())
TEMPLATE = load_template()
TRAVEL = PARITY["vectors"][0]["record"]


def test_the_package_copy_of_the_template_is_the_shared_one():
    assert TEMPLATE_FILE.read_bytes() == (SCHEMAS / "eval-prompt.json").read_bytes()


@pytest.mark.parametrize("vector", PARITY["vectors"], ids=[v["name"] for v in PARITY["vectors"]])
def test_parity(vector):
    record = parse_record(vector["record"], "parity")
    assert messages(record, TEMPLATE, vector["source"], frozenset(vector["without"])) == vector["messages"]


def test_layout_written_out():
    assert user_message(parse_record(TRAVEL, "t"), TEMPLATE, "atomic", frozenset(["a3", "a4"])) == (
        "MEMORY\n[1] The user dislikes crowds. The user has already seen Rome.\n"
        "[3] The user wants to travel by train. The user has a dog.\n\nCURRENT QUERY\nWhere should I go in May?")


def test_ablating_everything_keeps_the_template():
    record = parse_record(TRAVEL, "t")
    assert user_message(record, TEMPLATE, "atomic", frozenset(record.atoms)) == "MEMORY\n\nCURRENT QUERY\nWhere should I go in May?"


def test_substituted_text_is_not_scanned_again():
    raw = copy.deepcopy(TRAVEL)
    raw["memory_blocks"][0]["memory_text"] = "{n} {text} {query}"
    assert "[1] {n} {text} {query}" in user_message(parse_record(raw, "t"), TEMPLATE)


def test_prompt_ids_are_the_ids_of_the_rendered_text():
    renderer = Renderer(byte_tokenizer())
    record = parse_record(TRAVEL, "t")
    text = renderer.text(messages(record, TEMPLATE, "atomic"))
    assert text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert renderer.tokenizer.decode(renderer.prompt_ids(record, "atomic")) == text
    full, ablated = renderer.prompt_ids(record, "atomic"), renderer.prompt_ids(record, "atomic", frozenset(["a2"]))
    assert len(ablated) < len(full) and ablated[-12:] == full[-12:]


def test_teacher_prompt_holds_every_atom_level_and_rubric():
    raw = copy.deepcopy(TRAVEL)
    raw["memories"][0]["usage_rubric"] = {"correct_use": "a quiet place"}
    renderer = Renderer(byte_tokenizer())
    text = renderer.tokenizer.decode(renderer.teacher_ids(parse_record(raw, "t")))
    assert "The user dislikes crowds. | level C (apply) | {\"correct_use\": \"a quiet place\"}" in text
    assert all(m["text"] in text for m in raw["memories"])


def test_the_digest_follows_template_and_tokenizer():
    plain = Renderer(byte_tokenizer()).digest
    assert plain == Renderer(byte_tokenizer()).digest
    assert plain != Renderer(byte_tokenizer(chat_template=CHATML + " ")).digest


THINKS = "{% for m in messages %}{{ m.content }}{% endfor %}<think>\n"


@pytest.mark.parametrize(("changes", "says"), [
    ({"pad_token": None}, "no pad_token_id"), ({"eos_token": None}, "no eos_token_id"),
    ({"chat_template": None}, "no chat template")])
def test_unusable_tokenizers_are_refused(changes, says):
    with pytest.raises(TrainerError, match=says):
        Renderer(byte_tokenizer(**changes))


def test_a_template_that_thinks_is_refused():
    with pytest.raises(TrainerError, match="opens a <think> block"):
        Renderer(byte_tokenizer(chat_template=THINKS)).prompt_ids(parse_record(TRAVEL, "t"))


def broken(path, value):
    raw = copy.deepcopy(TRAVEL)
    target = raw
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return raw


@pytest.mark.parametrize(("raw", "says"), [
    (broken(["memories"], []), "has no atoms"),
    (broken(["memories", 0, "u_star"], "D"), "'D', which is not A, B or C"),
    (broken(["memory_blocks", 0, "atom_ids"], ["a1"]), "every atom exactly once"),
    (broken(["memory_blocks", 0, "atomic_concat_text"], "x"), "joined by one space"),
    (broken(["id"], ""), "no id")])
def test_bad_records_are_refused_with_line_and_reason(raw, says, tmp_path):
    file = tmp_path / "rl.jsonl"
    file.write_text(json.dumps(TRAVEL) + "\n" + json.dumps(raw) + "\n")
    with pytest.raises(TrainerError, match="line 2") as refusal:
        load_records(file)
    assert says in str(refusal.value) and refusal.value.code == "bad_record"


def test_long_prompts_are_listed_never_cut():
    with pytest.raises(TrainerError, match=r"2 of 3 prompts exceed 10 tokens: b \(30\), a \(11\)"):
        check_lengths({"a": 11, "b": 30, "c": 10}, 10, "prompts")
