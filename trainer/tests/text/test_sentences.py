"""Every token in exactly one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import byte_tokenizer

from memcalib_train.text.sentences import sentence_spans, token_sentences, token_starts

TOKENIZER = byte_tokenizer()


def decode(ids):
    return TOKENIZER.decode(ids, clean_up_tokenization_spaces=False)


@pytest.mark.parametrize(("text", "sentences"), [
    ("Go to Bergen by train. It is quiet there in May.", ["Go to Bergen by train.", "It is quiet there in May."]),
    ("Dr. Smith advises 2.5 mg, e.g. in the morning. Take it daily.",
     ["Dr. Smith advises 2.5 mg, e.g. in the morning.", "Take it daily."]),
    ("# Plan\n\nFirst pack your bag. Then leave the house.\n", ["# Plan", "First pack your bag.", "Then leave the house."]),
    ("- Pack your warm bag\n- Leave the house early. Lock the door well.\n",
     ["- Pack your warm bag", "- Leave the house early.", "Lock the door well."]),
    ("Look at this:\n\n```python\na = 1. \nb = 2\n```\nThat is all there is.", ["Look at this:", "```python\na = 1. \nb = 2\n```",
                                                                              "That is all there is."]),
    ("Yes. You can safely do that today.", ["Yes. You can safely do that today."]),
    ("| a | b |\n|---|---|\n| 1. One | 2 |\n| 3 | 4 |\n", ["| a | b |\n|---|---|", "| 1. One | 2 |", "| 3 | 4 |"])])
def test_segmentation(text, sentences):
    spans = sentence_spans(text)
    assert [text[a:b].strip() for a, b in spans] == sentences
    assert spans[0][0] == 0 and spans[-1][1] == len(text)


@given(st.text(alphabet="ab .!?\n#-*`|1é日☂", max_size=80))
def test_spans_cover_the_text_in_order(text):
    spans = sentence_spans(text)
    assert "".join(text[a:b] for a, b in spans) == text
    assert all(a < b for a, b in spans)


@given(st.text(max_size=60))
def test_every_token_lies_in_one_sentence_in_order(text):
    ids = TOKENIZER(text, add_special_tokens=False)["input_ids"]
    got = token_sentences(ids, decode)
    assert len(got) == len(ids) and got == sorted(got) and sorted(set(got)) == list(range(len(set(got))))


def test_a_token_belongs_to_the_sentence_of_its_first_byte():
    ids = TOKENIZER("Ride the bus to Malmö☂. Then walk home slowly.", add_special_tokens=False)["input_ids"]
    got = token_sentences(ids, decode)
    first = decode([i for i, s in zip(ids, got, strict=True) if s == 0])
    assert first == "Ride the bus to Malmö☂." or first == "Ride the bus to Malmö☂. "


@given(st.text(alphabet="ab 日☂é", max_size=120))
def test_windowed_offsets_equal_whole_prefixes(text):
    ids = TOKENIZER(text, add_special_tokens=False)["input_ids"]
    assert token_starts(ids, decode) == [len(decode(ids[:t]).rstrip("\ufffd")) for t in range(len(ids))]
