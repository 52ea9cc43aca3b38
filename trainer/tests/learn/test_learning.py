"""The tiny model learns: limits in steps, never in seconds. T1, T2, T3, T6, T7 of TRAINING section 6.3.

A toy proves plumbing and credit, and no more: which method ends best is no property of MiniMem.
"""

import json
from collections import Counter
from dataclasses import replace
from math import log

import pytest
import torch
from minirun import learning_config, write_templates

from memcalib_train.core.channels import CHANNELS, LOCALIZABLE, SIGNS
from memcalib_train.core.credit import METHODS, assign_credit
from memcalib_train.core.localize import LocalizeConfig, Pairs, localize
from memcalib_train.core.thresholds import TOKEN, Pool, update_threshold
from memcalib_train.loop.counterfactuals import plan_pairs, score_pairs
from memcalib_train.loop.drive import by_rule, drive, judgments_file
from memcalib_train.loop.judgments import load_judgments
from memcalib_train.loop.optimise import Targets, accumulate
from memcalib_train.loop.parallel import trainable
from memcalib_train.loop.rollout import files_of, load_rollout, rollout
from memcalib_train.loop.session import Session
from memcalib_train.loop.update import make_batch
from memcalib_train.minimem import (
    MEMORIES,
    SLOT_EVERY,
    VOCABULARY,
    Demonstrations,
    demonstrations,
    judge_rollout,
    make_model,
    save_model,
)
from memcalib_train.model.load import ModelConfig
from memcalib_train.sft import SftConfig, run_sft

pytestmark = pytest.mark.learn
JUDGE = by_rule(judge_rollout)
LIMIT = 40


def rollout_scs(session, step):
    """SCS of a step's rollouts by the rule judge, percent."""
    lines = [json.loads(line) for line in files_of(session.run, step)["rows"].read_text().splitlines()]
    scores = [0.5 ** (e["over_use"] + e["under_use"]) for e in judge_rollout(lines) if "levels" in e]
    return 100 * sum(scores) / len(scores)


def steps_to_lift(session, judge, lift):
    """(first SCS, best mean over three consecutive steps, steps): stops once the lift is reached, at LIMIT at the latest."""
    scores = []
    for step in range(1, LIMIT + 1):
        drive(session, judge, step)
        scores.append(rollout_scs(session, step))
        if len(scores) > 3 and sum(scores[-3:]) / 3 >= scores[0] + lift:
            break
    best = max(sum(scores[i:i + 3]) / 3 for i in range(1, len(scores) - 2))
    print(f"{session.config.method}: SCS {scores[0]:.1f} -> {best:.1f} in {len(scores)} steps")
    return scores[0], best, len(scores)


@pytest.mark.parametrize("method", ["grpo", "gdpo", "memcalib-rl"])
def test_t3_on_policy_methods_lift_scs_by_forty_points(tmp_path, method):
    first, best, steps = steps_to_lift(Session(learning_config(tmp_path, method)), JUDGE, 40)
    assert first < 35 and best >= first + 40, f"{first} -> {best} in {steps} steps"


@pytest.mark.parametrize("method", ["opsd-pg", "opsd-gkd"])
def test_t6_distillation_lifts_scs_by_ten_points(tmp_path, method):
    first, best, steps = steps_to_lift(Session(learning_config(tmp_path, method)), None, 10)
    assert best >= first + 10, f"{first} -> {best} in {steps} steps"


def judged(session, step=1):
    """(rollout, judgments, batch) of a step."""
    rollout(session, step)
    path = judgments_file(session.run, step)
    JUDGE(files_of(session.run, step)["rows"], path)
    found = load_rollout(session, step)
    verdicts = load_judgments(path, found.digest, found.response_ids, found.records, [False] * len(found.records))
    return found, verdicts, make_batch(session, found, verdicts)


def true_places(record, removed, channel, completion):
    """Tokens the channel's credit belongs on: values of the removed atoms, or (under-use) what stands in their slots instead."""
    words = [VOCABULARY[i] for i in completion]
    atoms = list(record.atoms)
    if SIGNS[channel] > 0:
        values = {record.atoms[a].text for a in removed}
        return [t for t, word in enumerate(words) if word in values]
    slots = [(SLOT_EVERY * place, record.atoms[a].text) for a in removed for place in (atoms.index(a), MEMORIES + atoms.index(a))]
    return [t for t, value in slots if t < len(words) and words[t] != value]


def test_t1_credit_lands_on_the_true_tokens(tmp_path):
    session = Session(learning_config(tmp_path, "memcalib-rl", rollout__prompts=32))
    found, verdicts, batch = judged(session)
    pairs = plan_pairs(batch, METHODS["memcalib-rl"], "all", found.records, verdicts.levels, (0,))
    scored = score_pairs(pairs, found.records, found.completions, found.logp_old, session.renderer, session.scorer)
    for h in LOCALIZABLE:
        members = [p for p in pairs if p.channel == h]
        one = torch.ones(len(members), dtype=torch.float64)
        rows = scored[h].row_N
        pairs_h = Pairs(h, scored[h].d_NT, scored[h].scored_N, batch.length_B[rows], one, one, 0.02)
        start = localize(pairs_h, LocalizeConfig())
        # the threshold this channel's EMA settles at on such rollouts
        settled = update_threshold(0.02, Pool(start.scores_NS[start.counted_NS], torch.zeros(0)), replace(TOKEN, ema=0.0))
        local = localize(replace(pairs_h, delta=settled.delta_after), LocalizeConfig())
        shares, uniform = [], []
        for n, pair in enumerate(members):
            places = true_places(found.records[pair.row], pair.removed, h, found.completions[pair.row])
            if local.Q_N[n] > 0 and places:
                shares.append(float(local.q_NS[n, places].sum() / local.Q_N[n]))
                uniform.append(len(places) / len(found.completions[pair.row]))
        ratio = sum(shares) / sum(uniform)
        print(f"{CHANNELS[h]}: {len(shares)} pairs, credit {sum(shares) / len(shares):.2f}, {ratio:.1f} x uniform, threshold {settled.delta_after:.3f}")
        assert len(shares) >= 10 and ratio >= 5, CHANNELS[h]


def gradient(session, found, A_BT, rows):
    """Flat policy gradient of the clipped objective (on-policy, no KL) on some rows."""
    session.optimizer.zero_grad(set_to_none=True)
    keep = torch.ones(len(found.completions), dtype=torch.bool)
    accumulate(session, found, Targets(keep, A_BT.float()), rows)
    return torch.cat([p.grad.flatten().double() for _, p in trainable(session.policy)])


def oracle_advantages(found, verdicts, samples):
    """(B, T): each memory's slots carry the memory's own outcome (+1 right, else minus the rank gap), normalised in its group."""
    width = int(found.length_B.max())
    A_BT = torch.zeros(len(found.records), width, dtype=torch.float64)
    for start in range(0, len(found.records), samples):
        rows = range(start, start + samples)
        for j, atom in enumerate(found.records[start].atoms.values()):
            gaps = [abs("ABC".index(verdicts.levels[r][atom.atom_id]) - "ABC".index(atom.ideal)) for r in rows]
            outcome = torch.tensor([1.0 if gap == 0 else -float(gap) for gap in gaps], dtype=torch.float64)
            normal = (outcome - outcome.mean()) / (outcome.std(correction=0) + 1e-6)
            for r, value in zip(rows, normal.tolist(), strict=True):
                for slot in (SLOT_EVERY * j, SLOT_EVERY * (MEMORIES + j)):
                    if slot < len(found.completions[r]):
                        A_BT[r, slot] = value
    return A_BT


def test_t2_small_batch_gradients_point_closer_to_the_oracle_than_gdpo(tmp_path):
    """At the run's own thresholds (D.3, moved after every batch), where answers are correlated but every memory can depart from the rest.

    The policy is the independent cold start after 500 more steps on correlated demonstrations: 12 of 12 batches, +0.19, thresholds at the
    floor of 0.02. It depends on the cold start, not on how TRAINING 6.3 is read: demonstrations of which 70 % follow one level throughout
    give 12 of 12, +0.20 from the same start, but 7 of 12, +0.01 when nearly all training was on them (2,500 + 500 steps): there absent
    memories leave 0.1 nat of evidence and half of their credit lands in other memories' slots.
    """
    size, batches = 8 * 8, 12
    config = learning_config(tmp_path, "memcalib-rl", "correlated", rollout__prompts=256, optim__mini_batch=64,
                             data__tail="drop")
    session = Session(config)
    found, verdicts, batch = judged(session)
    oracle = gradient(session, found, oracle_advantages(found, verdicts, 8), list(range(len(found.completions))))
    wins, gains, deltas = 0, [], [TOKEN.start] * 9
    for b in range(batches):
        rows = list(range(b * size, (b + 1) * size))
        part = replace(batch, counts_BH=batch.counts_BH[rows], group_B=batch.group_B[rows] - b * 8, valid_B=batch.valid_B[rows],
                       length_B=batch.length_B[rows], sentence_BT=None)
        records, levels = [found.records[r] for r in rows], [verdicts.levels[r] for r in rows]
        completions, old = [found.completions[r] for r in rows], [found.logp_old[r] for r in rows]
        pairs = plan_pairs(part, METHODS["memcalib-rl"], "all", records, levels, (b,))
        scored = score_pairs(pairs, records, completions, old, session.renderer, session.scorer)
        cosine = {}
        for method, counterfactuals in (("gdpo", {}), ("memcalib-rl", scored)):
            credit = assign_credit(part, METHODS[method], counterfactuals, deltas)
            A_BT = torch.zeros(len(found.completions), int(found.length_B.max()), dtype=torch.float64)
            A_BT[rows, :credit.A_hat_BT.shape[1]] = credit.A_hat_BT
            cosine[method] = float(torch.cosine_similarity(gradient(session, found, A_BT, rows), oracle, dim=0))
        wins += cosine["memcalib-rl"] > cosine["gdpo"]
        gains.append(cosine["memcalib-rl"] - cosine["gdpo"])
        # `credit` is MemCalib-RL's, the last of the two
        deltas = [update_threshold(delta, credit.pools[h], TOKEN).delta_after if h in credit.pools else delta for h, delta in enumerate(deltas)]
    print(f"closer in {wins} of {batches} batches, mean cosine gain {sum(gains) / batches:.3f}, thresholds up to {max(deltas):.3f}")
    assert wins >= 10 and sum(gains) / batches >= 0.1


def test_t7_sft_learns_to_copy_from_the_memory(tmp_path):
    """The loss falls below what a model that knows every position's distribution, but not the prompt, could reach."""
    save_model(tmp_path / "base", make_model(seed=3))
    write_templates(tmp_path)
    rows = demonstrations(32 * 480, 11, Demonstrations())
    (tmp_path / "sft.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = SftConfig(model=ModelConfig(path=str(tmp_path / "base"), device="cpu"), data=str(tmp_path / "sft.jsonl"),
                       template=str(tmp_path / "template.json"), out=str(tmp_path / "out"), device_batch=32, lr=3e-3)
    report = run_sft(config)
    answers = [row["answer"].split() for row in rows[:4000]]
    entropies = [0.0]  # the end token is certain
    for column in zip(*answers, strict=True):
        entropies.append(-sum(n / len(column) * log(n / len(column)) for n in Counter(column).values()))
    copy_free = sum(entropies) / len(entropies)
    late = sum(report["losses"][-3:]) / 3
    print(f"loss {report['first_loss']:.2f} -> {late:.3f}, copy-free {copy_free:.3f}")
    assert report["steps"] == 480 and late < copy_free - 0.05 and late < report["first_loss"] - 0.5
