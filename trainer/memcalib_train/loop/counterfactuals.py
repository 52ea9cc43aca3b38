"""Which (response, channel) pairs are scored without their atoms, and their log-probability differences (paper 3.2; TRAINING 4.1, 4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ..core.channels import CHANNELS, LOCALIZABLE
from ..core.credit import Batch, Counterfactuals, CreditConfig, candidates, open_gate
from ..model.scorer import Item, Progress, Scorer
from ..model.seeds import generator_for, permutation
from ..text.records import Record
from ..text.render import Renderer

SAMPLE_ONE_IN = 4


@dataclass(frozen=True)
class Pair:
    """One pair to score: row of the batch, channel, the atoms it removes, how often its scores count in the pool."""

    row: int
    channel: int
    removed: frozenset[str]
    repeat: int


def removed_atoms(record: Record, levels: dict[str, str], channel: int) -> frozenset[str]:
    """The atoms of one response in one channel: ideal and actual level both match."""
    return frozenset(a for a, atom in record.atoms.items() if atom.ideal + levels[a] == CHANNELS[channel])


def plan_pairs(batch: Batch, config: CreditConfig, scope: str, records: Sequence[Record],
               levels: Sequence[dict[str, str] | None], seed: tuple[object, ...]) -> list[Pair]:
    """All candidates (`all`), those with an open gate (`gated`), or these and exactly one in four of the closed (`gated+sample`).

    The sample is systematic in a seeded order, per channel; its scores count four times in the quantile.
    """
    wanted_BH, open_BH = candidates(batch), open_gate(batch, config)
    pairs = []
    for h in LOCALIZABLE:
        chosen = {int(row): 1 for row in (wanted_BH if scope == "all" else open_BH)[:, h].nonzero()[:, 0]}
        if scope == "gated+sample":
            closed = (wanted_BH & ~open_BH)[:, h].nonzero()[:, 0].tolist()
            first = int(torch.randint(SAMPLE_ONE_IN, (1,), generator=generator_for("sample-offset", *seed, h)))
            order = permutation(len(closed), "sample-order", *seed, h)
            chosen |= {closed[i]: SAMPLE_ONE_IN for i in order[first::SAMPLE_ONE_IN]}
        for row in sorted(chosen):
            found = levels[row]
            assert found is not None, "a candidate is a judged response"
            pairs.append(Pair(row, h, removed_atoms(records[row], found, h), chosen[row]))
    return pairs


def score_pairs(pairs: Sequence[Pair], records: Sequence[Record], completions: Sequence[Sequence[int]], old: Sequence[torch.Tensor],
                renderer: Renderer, scorer: Scorer, progress: Progress | None = None) -> dict[int, Counterfactuals]:
    """d = log p(full) - log p(ablated) per pair, in float64, NaN-padded.

    An ablated prompt is rendered and tokenised once per (record, removed atoms); equal (prompt, completion) are scored once.
    """
    prompts: dict[tuple[str, frozenset[str]], tuple[int, ...]] = {}
    places: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    items: list[Item] = []
    of_pair = []
    for pair in pairs:
        record = records[pair.row]
        key = (record.id, pair.removed)
        if key not in prompts:
            prompts[key] = tuple(renderer.prompt_ids(record, "atomic", pair.removed))
        item = (prompts[key], tuple(completions[pair.row]))
        if item not in places:
            places[item] = len(items)
            items.append(item)
        of_pair.append(places[item])
    scored = scorer.logp(items, progress)
    width = max((len(c) for c in completions), default=0)
    out = {}
    for h in LOCALIZABLE:
        members = [(pair, scored[place]) for pair, place in zip(pairs, of_pair, strict=True) if pair.channel == h]
        if not members:
            continue
        d_NT = torch.full((len(members), width), float("nan"), dtype=torch.float64)
        for n, (pair, ablated_T) in enumerate(members):
            d_NT[n, :len(ablated_T)] = old[pair.row].double() - ablated_T.double()
        out[h] = Counterfactuals(torch.tensor([p.row for p, _ in members]), d_NT, torch.ones(len(members), dtype=torch.bool),
                                 torch.tensor([p.repeat for p, _ in members]))
    return out
