"""Sentences of a response: markdown-aware, every token in exactly one sentence (paper H.2, Appendices I and J).

Blocks come from markdown-it-py. A heading, a table row, a code block is one sentence; a list item or paragraph is split at sentence
ends by rule, short fragments joined to their neighbour. spaCy can replace the rule inside paragraphs.
"""

import re
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt

from ..errors import TrainerError

Span = tuple[int, int]
Splitter = Callable[[str], list[int]]
_END = re.compile(r"[.!?\u3002\uff01\uff1f]+[\"'\u201d\u2019)\]*_`]*(?=\s)|[\u3002\uff01\uff1f]")
_ABBREVIATIONS = {"e.g.", "i.e.", "etc.", "vs.", "dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "no.", "fig.", "approx.", "cf.", "al.",
                  "inc.", "jr.", "sr.", "p.m.", "a.m.", "u.s.", "u.k."}
_SPLIT = {"paragraph_open"}
_WHOLE = {"heading_open", "fence", "code_block", "html_block", "tr_open", "hr"}
MIN_WORDS = 3
DEFAULT_NAME = "rules-1"


def rule_cuts(text: str) -> list[int]:
    """Offsets right after each sentence end inside one paragraph; abbreviations, initials and list numbers do not end one."""
    cuts = []
    for found in _END.finditer(text):
        words = text[: found.end()].split()
        last = words[-1].lower().lstrip("(\"'[*_") if words else ""
        if last in _ABBREVIATIONS or re.fullmatch(r"[a-z]\.", last) or re.fullmatch(r"\d+\.", last):
            continue
        cuts.append(found.end())
    return cuts


def spacy_cuts(model: str | None = None) -> Splitter:
    """A splitter by spaCy: a model path, or the rule-based `sentencizer`. The default needs no spaCy."""
    try:
        import spacy
    except ImportError:
        raise TrainerError("no_spacy", "spaCy is not installed: run `trainer/.venv/bin/pip install spacy`, or use sentences=rules.") from None
    pipeline: Any = spacy.load(model) if model else spacy.blank("xx")
    if not model:
        pipeline.add_pipe("sentencizer")
    return lambda text: [sentence.end_char for sentence in pipeline(text).sents]


def _merge_short(text: str, spans: list[Span]) -> list[Span]:
    """Joins a span of fewer than three words to the one before it (the first to the one after)."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and (len(text[start:end].split()) < MIN_WORDS or len(text[merged[-1][0]:merged[-1][1]].split()) < MIN_WORDS):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _split_block(text: str, start: int, end: int, cuts: Splitter) -> list[Span]:
    """Sentence spans of one paragraph, covering start..end."""
    body = text[start:end]
    ends = sorted({min(cut, len(body)) for cut in cuts(body) if body[:cut].strip() and body[cut:].strip()})
    edges = [0, *ends, len(body)]
    spans = [(start + a, start + b) for a, b in zip(edges, edges[1:], strict=False) if b > a]
    return _merge_short(text, spans)


def sentence_spans(text: str, cuts: Splitter = rule_cuts) -> list[Span]:
    """Half-open character spans that cover the whole text in order; at least one span for a non-empty text."""
    if not text:
        return []
    offsets = [0]
    offsets += [found.end() for found in re.finditer(r"\r\n?|\n", text)]
    if offsets[-1] < len(text):
        offsets.append(len(text))
    starts: list[Span] = []
    covered = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map is None or token.type not in _SPLIT | _WHOLE:
            continue
        first, last = offsets[min(token.map[0], len(offsets) - 1)], offsets[min(token.map[1], len(offsets) - 1)]
        if first < covered or last <= first:
            continue
        covered = last
        starts += [(first, last)] if token.type in _WHOLE else _split_block(text, first, last, cuts)
    if not starts:
        return [(0, len(text))]
    edges = [0, *[start for start, _ in starts[1:]], len(text)]
    return [(a, b) for a, b in zip(edges, edges[1:], strict=False) if b > a]


def token_starts(ids: list[int], decode: Callable[[list[int]], str]) -> list[int]:
    """Character offset at which each token's first byte falls, by decoding prefixes (never by encoding again).

    A token inside a character shares the offset of that character. Prefixes are decoded in windows that begin at a whole character;
    when the decoder does not add up over windows, whole prefixes are decoded.
    """
    text = decode(ids)
    starts: list[int] = []
    anchor, anchor_length = 0, 0
    for t in range(len(ids)):
        piece = decode(ids[anchor:t])
        whole = piece.rstrip("\ufffd")
        starts.append(anchor_length + len(whole))
        if t - anchor >= 32 and whole == piece and text.startswith(piece, anchor_length):
            anchor, anchor_length = t, anchor_length + len(piece)
    if anchor_length + len(decode(ids[anchor:])) != len(text):
        return [len(decode(ids[:t]).rstrip("\ufffd")) for t in range(len(ids))]
    return starts


def token_sentences(ids: list[int], decode: Callable[[list[int]], str], cuts: Splitter = rule_cuts) -> list[int]:
    """Sentence index of each token, counted from 0 without gaps: the sentence that holds the token's first byte."""
    spans = sentence_spans(decode(ids), cuts)
    indices: list[int] = []
    current = 0
    for start in token_starts(ids, decode):
        while current + 1 < len(spans) and start >= spans[current][1]:
            current += 1
        indices.append(current)
    seen = {index: place for place, index in enumerate(sorted(set(indices)))}
    return [seen[index] for index in indices]
