"""Which pairs are scored, and what is removed."""

import torch
from minirun import make_session

from memcalib_train.core.channels import CHANNELS, LOCALIZABLE, count_channels
from memcalib_train.core.credit import METHODS, Batch, candidates, open_gate
from memcalib_train.loop.counterfactuals import plan_pairs, removed_atoms, score_pairs
from memcalib_train.minimem import make_raw_records
from memcalib_train.model.seeds import generator_for
from memcalib_train.text.records import parse_record

CONFIG = METHODS["memcalib-rl"]


def drawn(groups=12, samples=8):
    g = generator_for("test", 1)
    records, levels, counts = [], [], []
    for raw in make_raw_records(groups, 3):
        record = parse_record(raw, "test")
        for _ in range(samples):
            found = {a: "ABC"[int(torch.randint(3, (1,), generator=g))] for a in record.atoms}
            records.append(record)
            levels.append(found)
            counts.append(count_channels(record.ideals(), list(found.values())))
    rows = groups * samples
    return records, levels, Batch(torch.tensor(counts), torch.arange(rows) // samples, torch.ones(rows, dtype=torch.bool),
                                  torch.full((rows,), 5))


def test_every_channel_but_aa_is_localizable():
    assert [CHANNELS[h] for h in LOCALIZABLE] == ["AB", "AC", "BA", "BB", "BC", "CA", "CB", "CC"]


def test_all_scores_every_candidate_and_gated_the_open_ones():
    records, levels, batch = drawn()
    every = {(p.row, p.channel) for p in plan_pairs(batch, CONFIG, "all", records, levels, (0,))}
    assert every == {tuple(x) for x in candidates(batch).nonzero().tolist()}
    gated = {(p.row, p.channel) for p in plan_pairs(batch, CONFIG, "gated", records, levels, (0,))}
    assert gated == {tuple(x) for x in open_gate(batch, CONFIG).nonzero().tolist()} and 0 < len(gated) < len(every)


def test_gated_plus_sample_takes_exactly_one_closed_pair_in_four_and_counts_it_four_times():
    records, levels, batch = drawn()
    pairs = plan_pairs(batch, CONFIG, "gated+sample", records, levels, (0,))
    is_open = open_gate(batch, CONFIG)
    for h in LOCALIZABLE:
        mine = [p for p in pairs if p.channel == h]
        closed = int((candidates(batch) & ~is_open)[:, h].sum())
        sampled = [p for p in mine if p.repeat == 4]
        assert len(sampled) in (closed // 4, -(-closed // 4)) and not any(is_open[p.row, h] for p in sampled)
        assert {p.row for p in mine if p.repeat == 1} == set(is_open[:, h].nonzero()[:, 0].tolist())
    assert pairs == plan_pairs(batch, CONFIG, "gated+sample", records, levels, (0,))
    assert pairs != plan_pairs(batch, CONFIG, "gated+sample", records, levels, (1,))


def test_removed_atoms_are_exactly_the_channels():
    records, levels, batch = drawn(2)
    for row, (record, found) in enumerate(zip(records, levels, strict=True)):
        parts = [removed_atoms(record, found, h) for h in range(9)]
        assert sorted(a for part in parts for a in part) == sorted(record.atoms)
        assert [len(p) for p in parts] == batch.counts_BH[row].tolist()


def test_differences_are_full_minus_ablated_and_shared_prompts_are_scored_once(tmp_path):
    session = make_session(tmp_path)
    record = session.records[0]
    levels = [dict.fromkeys(record.atoms, "B")] * 2
    counts = count_channels(record.ideals(), ["B"] * 6)
    batch = Batch(torch.tensor([counts, counts]), torch.tensor([0, 0]), torch.tensor([True, True]), torch.tensor([3, 3]))
    completion = (20, 21, 22)
    old = session.scorer.logp([(session.prompts[record.id], completion)])[0]
    pairs = plan_pairs(batch, CONFIG, "all", [record, record], levels, (0,))
    before = session.scorer.tokens_scored
    found = score_pairs(pairs, [record, record], [completion] * 2, [old, old], session.renderer, session.scorer)
    distinct = {(p.removed) for p in pairs}
    spent = sum(len(session.renderer.prompt_ids(record, "atomic", removed)) + 3 for removed in distinct)
    assert session.scorer.tokens_scored - before == spent, "two equal responses cost one pass per removed set"
    for pair in pairs:
        ids = session.renderer.prompt_ids(record, "atomic", pair.removed)
        want = old.double() - session.scorer.logp([(ids, completion)])[0].double()
        place = found[pair.channel].row_N.tolist().index(pair.row)
        assert torch.allclose(found[pair.channel].d_NT[place], want, atol=1e-6)
