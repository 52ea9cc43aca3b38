"""Identities every batch must satisfy, on drawn batches (hypothesis)."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from memcalib_train.core.channels import LOCALIZABLE, SIGNS, count_channels
from memcalib_train.core.credit import METHODS, Batch, Counterfactuals, assign_credit, candidates, open_gate
from memcalib_train.core.groups import channel_advantages, sum_channels, total_advantages
from memcalib_train.core.localize import FALLBACK_NAMES, LocalizeConfig, Pairs, localize
from memcalib_train.core.objectives import k3, policy_loss
from memcalib_train.core.project import project, project_by_bisection
from memcalib_train.core.thresholds import Pool, ThresholdConfig, quantile, update_threshold

F64 = torch.float64
DELTAS = [0.02] * 9
SENT_DELTAS = [0.01] * 9


def make_batch(seed, groups=3, rows=4, width=11, invalid=0.2):
    """A drawn batch (B != T) with every candidate scored, padded with NaN."""
    g = torch.Generator().manual_seed(seed)
    counts, group = [], []
    for p in range(groups):
        ideal = [("A", "B", "C")[i] for i in torch.randint(0, 3, (6,), generator=g)]
        for _ in range(rows):
            actual = [("A", "B", "C")[i] for i in torch.randint(0, 3, (6,), generator=g)]
            counts.append(count_channels(ideal, actual))
            group.append(p)
    B = groups * rows
    valid = torch.rand(B, generator=g) >= invalid
    valid[0] = True
    length = torch.randint(1, width + 1, (B,), generator=g)
    length[-1] = width
    sentence = torch.arange(width).div(3, rounding_mode="floor").expand(B, -1).contiguous()
    batch = Batch(torch.tensor(counts), torch.tensor(group), valid, length, sentence)
    return batch, all_scored(batch, g, width)


def all_scored(batch, g, width):
    found, wanted = {}, candidates(batch)
    for h in LOCALIZABLE:
        row_N = wanted[:, h].nonzero()[:, 0]
        if len(row_N) == 0:
            continue
        d = torch.randn(len(row_N), width, generator=g, dtype=F64) * 0.7
        d[torch.arange(width) >= batch.length_B[row_N, None]] = float("nan")
        scored = torch.rand(len(row_N), generator=g) > 0.1
        found[h] = Counterfactuals(row_N, d, scored, torch.ones(len(row_N), dtype=torch.int64))
    return found


def credit(batch, found, method="memcalib-rl", **changes):
    config = METHODS[method]
    if changes:
        config = replace(config, localize=replace(config.localize, **changes))
    return assign_credit(batch, config, found, DELTAS, SENT_DELTAS)


seeds = st.integers(0, 10_000)


@given(seeds, st.sampled_from([m for m in METHODS if m.startswith("memcalib")]), st.sampled_from([0.25, 0.75, 1.0]),
       st.sampled_from([1.5, 4.0, 16.0]))
def test_conservation(seed, method, eta, cap):
    batch, found = make_batch(seed)
    got = credit(batch, found, method, eta=eta, cap=cap)
    assert got.channel_error <= 1e-12 and got.merged_error <= 1e-12
    mean = torch.stack([got.A_hat_BT[i, :n].mean() for i, n in enumerate(batch.length_B)])
    assert torch.allclose(mean, torch.where(batch.valid_B, got.S_B / got.sigma_S, 0.0), atol=1e-12, rtol=0)
    for rows_K, m_KT in got.multipliers.values():
        n = batch.length_B[rows_K]
        assert torch.allclose(m_KT.sum(1), n.double(), rtol=1e-12) and (m_KT >= 0).all() and (m_KT <= cap + 1e-12).all()


@given(seeds, st.sampled_from([m for m in METHODS if m.startswith("memcalib")]))
def test_eta_zero_is_bitwise_gdpo(seed, method):
    batch, found = make_batch(seed)
    assert torch.equal(credit(batch, found, method, eta=0.0).A_hat_BT, credit(batch, {}, "gdpo").A_hat_BT)


@given(seeds)
def test_closed_gates_are_bitwise_gdpo(seed):
    batch, found = make_batch(seed)
    assert torch.equal(credit(batch, found, delta_tok_abs=1e9).A_hat_BT, credit(batch, {}, "gdpo").A_hat_BT)


@given(seeds)
def test_some_gate_opens(seed):
    """The two tests above would pass on a credit assignment that never localizes; this one would not."""
    batch, found = make_batch(seed, groups=6, rows=6)
    got = credit(batch, found)
    assert any(len(rows) for rows, _ in got.multipliers.values())
    assert not torch.equal(got.A_hat_BT, credit(batch, {}, "gdpo").A_hat_BT)


@given(seeds, st.sampled_from(sorted(METHODS)))
def test_permuting_rows_permutes_advantages(seed, method):
    batch, found = make_batch(seed)
    order = torch.randperm(len(batch.group_B), generator=torch.Generator().manual_seed(seed + 1))
    where = order.argsort()
    moved = Batch(batch.counts_BH[order], batch.group_B[order], batch.valid_B[order], batch.length_B[order],
                  batch.sentence_BT[order])
    moved_found = {h: replace(f, row_N=where[f.row_N]) for h, f in found.items()}
    a, b = credit(batch, found, method), credit(moved, moved_found, method)
    assert torch.allclose(a.A_hat_BT[order], b.A_hat_BT, atol=1e-12, rtol=1e-12)


@given(seeds)
def test_permuting_rows_of_a_group_leaves_channel_advantages_bitwise(seed):
    batch, _ = make_batch(seed)
    order = torch.randperm(len(batch.group_B), generator=torch.Generator().manual_seed(seed + 1))
    Z = torch.ones(1, 9, dtype=torch.int64)
    a = channel_advantages(batch.counts_BH, Z, batch.group_B, batch.valid_B).A_BH
    b = channel_advantages(batch.counts_BH[order], Z, batch.group_B[order], batch.valid_B[order]).A_BH
    assert torch.equal(a[order], b)


@given(seeds, st.integers(2, 9))
def test_scaling_rewards_leaves_advantages(seed, scale):
    """Z divides rewards by a constant: A moves by eps / sigma only."""
    batch, _ = make_batch(seed)
    Z = torch.ones(1, 9, dtype=torch.int64)
    for function in (channel_advantages, total_advantages):
        a = function(batch.counts_BH, Z, batch.group_B, batch.valid_B).A_BH
        b = function(batch.counts_BH, Z * scale, batch.group_B, batch.valid_B).A_BH
        assert torch.allclose(a, b, atol=1e-4)


@given(seeds)
def test_advantages_have_mean_zero_and_variance_one(seed):
    batch, _ = make_batch(seed, rows=8)
    Z = torch.ones(1, 9, dtype=torch.int64)
    got = channel_advantages(batch.counts_BH, Z, batch.group_B, batch.valid_B)
    for p in range(3):
        rows = (batch.group_B == p) & batch.valid_B
        for h in range(9):
            A = got.A_BH[rows, h]
            if not got.degenerate_PH[p, h]:
                assert abs(float(A.mean())) < 1e-12 and abs(float((A**2).mean()) - 1) < 1e-4


@given(seeds, st.sampled_from(sorted(METHODS)))
def test_an_invalid_row_removed_is_as_if_it_never_was(seed, method):
    batch, found = make_batch(seed, invalid=0.4)
    keep = batch.valid_B.nonzero()[:, 0]
    where = torch.full((len(batch.group_B),), -1)
    where[keep] = torch.arange(len(keep))
    less = Batch(batch.counts_BH[keep], batch.group_B[keep], batch.valid_B[keep], batch.length_B[keep], batch.sentence_BT[keep])
    less_found = {h: replace(f, row_N=where[f.row_N]) for h, f in found.items()}
    a, b = credit(batch, found, method), credit(less, less_found, method)
    width = b.A_hat_BT.shape[1]
    assert torch.allclose(a.A_hat_BT[keep][:, :width], b.A_hat_BT, atol=1e-12, rtol=0)
    assert (a.A_hat_BT[~batch.valid_B] == 0).all() and abs(a.sigma_S - b.sigma_S) < 1e-14
    assert {h: p.size for h, p in a.pools.items()} == {h: p.size for h, p in b.pools.items()}


@given(seeds, st.integers(1, 6), st.sampled_from(["memcalib-rl", "memcalib-rl-sentence"]))
def test_padding_changes_nothing(seed, pad, method):
    batch, found = make_batch(seed)
    nan = {h: replace(f, d_NT=torch.cat([f.d_NT, torch.full((len(f.row_N), pad), float("nan"), dtype=F64)], 1)[:, : 11 + pad])
           for h, f in found.items()}
    wide = replace(batch, sentence_BT=torch.cat([batch.sentence_BT, torch.full((len(batch.group_B), pad), 7)], 1))
    # a wider batch: one invalid row of 11 + pad tokens
    wide = Batch(torch.cat([wide.counts_BH, wide.counts_BH[:1]]), torch.cat([wide.group_B, wide.group_B[:1]]),
                 torch.cat([wide.valid_B, torch.tensor([False])]), torch.cat([wide.length_B, torch.tensor([11 + pad])]),
                 torch.cat([wide.sentence_BT, wide.sentence_BT[:1]]))
    a, b = credit(batch, found, method), credit(wide, nan, method)
    assert torch.allclose(a.A_hat_BT, b.A_hat_BT[:-1, :11], atol=1e-12, rtol=0) and (b.A_hat_BT[:, 11:] == 0).all()


@given(seeds)
def test_one_token_per_sentence_is_the_token_level(seed):
    """gamma = 0, the same thresholds, delta_sent_abs <= delta_tok_abs."""
    batch, found = make_batch(seed)
    split = replace(batch, sentence_BT=torch.arange(11).expand(len(batch.group_B), -1).contiguous())
    a = assign_credit(batch, METHODS["memcalib-rl"], found, DELTAS)
    config = replace(METHODS["memcalib-rl-sentence"], localize=LocalizeConfig("sentence", gamma=0.0))
    b = assign_credit(split, config, found, DELTAS, DELTAS)
    assert torch.allclose(a.A_hat_BT, b.A_hat_BT, atol=1e-12, rtol=0)
    assert torch.equal(a.fallback_BH, b.fallback_BH)
    for h, pool in a.pools.items():
        assert torch.equal(pool.once, b.pools[h].once)


@given(seeds)
def test_one_sentence_is_uniform(seed):
    batch, found = make_batch(seed)
    whole = replace(batch, sentence_BT=torch.zeros(len(batch.group_B), 11, dtype=torch.int64))
    a = credit(whole, found, "memcalib-rl-sentence")
    assert torch.allclose(a.A_hat_BT, credit(batch, {}, "gdpo").A_hat_BT, atol=1e-12, rtol=0)


@given(seeds, st.sampled_from([1.5, 4.0, 16.0]), st.integers(1, 40))
def test_projection_equals_bisection(seed, cap, T):
    g = torch.Generator().manual_seed(seed)
    q = torch.rand(5, T, generator=g, dtype=F64) ** 8
    q[0, 1:] = 0
    q[1] = 0.5
    m = T * q / q.sum(1, keepdim=True)
    length = torch.full((5,), T)
    exact, tau = project(m, length, cap)
    oracle, _ = project_by_bisection(m, length, cap)
    assert torch.allclose(exact, oracle, atol=1e-11) and torch.allclose(exact.mean(1), torch.ones(5, dtype=F64), atol=1e-12)
    assert (tau <= 0).all()
    assert torch.equal(tau == 0, ~(m > cap).any(1)), "no cap hit exactly when tau = 0"


@pytest.mark.parametrize("R", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("A", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("strong", [False, True])
def test_redistribution_gate_truth_table(R, A, strong):
    d = torch.tensor([[0.5, 0.1, -0.2]], dtype=F64) if strong else torch.tensor([[0.015, 0.0, 0.0]], dtype=F64)
    R_1, A_1 = torch.tensor([R], dtype=F64), torch.tensor([A], dtype=F64)
    pair = Pairs(4, d, torch.tensor([True]), torch.tensor([3]), R_1, A_1, 0.02)
    assert bool(localize(pair, LocalizeConfig()).chi_N[0]) == (strong and R * A > 0)


@given(seeds)
def test_absolute_equals_ordered_when_every_difference_supports(seed):
    batch, found = make_batch(seed)
    positive = {h: replace(f, d_NT=f.d_NT.abs()) for h, f in found.items() if SIGNS[h] > 0}
    assert torch.equal(credit(batch, positive).A_hat_BT, credit(batch, positive, "memcalib-rl-absolute").A_hat_BT)


@given(seeds)
def test_a_non_finite_difference_counts_as_not_scored(seed):
    batch, found = make_batch(seed)
    broken, unscored = {}, {}
    for h, f in found.items():
        d = f.d_NT.clone()
        d[0, 0] = float("inf")
        off = f.scored_N.clone()
        off[0] = False
        broken[h], unscored[h] = replace(f, d_NT=d), replace(f, scored_N=off)
    a, b = credit(batch, broken), credit(batch, unscored)
    assert torch.equal(a.A_hat_BT, b.A_hat_BT) and torch.equal(a.fallback_BH, b.fallback_BH)


@given(seeds)
def test_unrequested_pairs_fall_back_by_name(seed):
    batch, found = make_batch(seed)
    got = credit(batch, {})
    names = {FALLBACK_NAMES[c] for c in got.fallback_BH[candidates(batch)].tolist()}
    assert names <= {"not_requested"}
    assert torch.equal(got.A_hat_BT, credit(batch, {}, "gdpo").A_hat_BT)


@given(seeds)
def test_gated_pairs_give_the_advantages_of_all_pairs(seed):
    """Leaving out pairs whose last gate is closed changes pools, never advantages of the step."""
    batch, found = make_batch(seed)
    wanted = open_gate(batch, METHODS["memcalib-rl"])
    gated = {}
    for h, f in found.items():
        on = wanted[f.row_N, h]
        if on.any():
            gated[h] = Counterfactuals(f.row_N[on], f.d_NT[on], f.scored_N[on], f.repeat_N[on])
    assert torch.equal(credit(batch, found).A_hat_BT, credit(batch, gated).A_hat_BT)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=60), st.lists(st.floats(-3, 3), max_size=30), st.floats(0, 1))
def test_weighted_quantile_equals_the_repeated_one(once, sampled, p):
    once, sampled = torch.tensor(once, dtype=F64), torch.tensor(sampled, dtype=F64)
    got = quantile(Pool(once, sampled, 4), p)
    want = torch.quantile(torch.cat([once, sampled.repeat_interleave(4)]), p)
    assert abs(got - float(want)) < 1e-9


def test_minimum_scores_are_counted_before_repeating():
    config = ThresholdConfig()
    pool = Pool(torch.ones(200, dtype=F64), torch.ones(55, dtype=F64), 4)
    assert not update_threshold(0.02, pool, config).updated
    assert update_threshold(0.02, Pool(torch.ones(200, dtype=F64), torch.ones(56, dtype=F64), 4), config).updated


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=20))
def test_k3_is_never_negative(gaps):
    assert (k3(torch.tensor(gaps, dtype=F64)) >= 0).all()


@given(seeds, st.sampled_from([1, 2, 8]))
def test_loss_gradient_does_not_depend_on_micro_batches(seed, size):
    g = torch.Generator().manual_seed(seed)
    new, old, ref, A = (torch.randn(8, 5, generator=g, dtype=F64) for _ in range(4))
    mask = torch.rand(8, 5, generator=g) > 0.3
    mask[0] = True
    tokens = int(mask.sum())

    def gradient(parts):
        leaf = new.clone().requires_grad_()
        for part in parts:
            policy_loss(leaf[part], old[part], A[part], mask[part], tokens=tokens, logp_ref_BT=ref[part]).loss.backward()
        return leaf.grad

    whole = gradient([torch.arange(8)])
    parts = gradient(torch.arange(8).split(size))
    assert torch.allclose(whole, parts, atol=1e-14)
    assert (whole[~mask] == 0).all()


@given(seeds)
def test_loss_equals_a_naive_loop(seed):
    g = torch.Generator().manual_seed(seed)
    new, old, ref, A = (torch.randn(3, 4, generator=g, dtype=F64) for _ in range(4))
    mask = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]])
    total, kl = 0.0, 0.0
    for b in range(3):
        for t in range(4):
            if mask[b, t]:
                rho = float((new[b, t] - old[b, t]).exp())
                total += min(rho * float(A[b, t]), min(max(rho, 0.8), 1.2) * float(A[b, t]))
                gap = float(ref[b, t] - new[b, t])
                kl += float(torch.tensor(gap, dtype=F64).exp()) - gap - 1
    got = policy_loss(new, old, A, mask, logp_ref_BT=ref)
    assert abs(float(got.loss) - (-total + 0.01 * kl) / 8) < 1e-12


def test_the_sum_of_channels_is_added_in_order():
    values = torch.tensor([[1e16, 1.0, -1e16, 1.0, 0, 0, 0, 0, 0]], dtype=F64)
    assert float(sum_channels(values)[0]) == 1.0
