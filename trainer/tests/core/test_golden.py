"""core/ reproduces the five golden files to the tolerance of their README."""

from fractions import Fraction

import pytest
import torch
from golden_files import COPIES, NAMES, SHARED, golden, near

from memcalib_train.core.channels import (
    ATOM_REWARDS,
    CHANNELS,
    LABELS,
    SIGNS,
    count_channels,
    denominators,
    rewards,
    use_metrics,
)
from memcalib_train.core.credit import Batch, Counterfactuals, CreditConfig, assign_credit
from memcalib_train.core.groups import (
    NoValidResponseError,
    batch_scale,
    channel_advantages,
    sum_channels,
    total_advantages,
)
from memcalib_train.core.localize import FALLBACK_NAMES, LocalizeConfig, Pairs, factors, localize
from memcalib_train.core.objectives import (
    NoValidTokenError,
    distillation_advantages,
    distillation_loss,
    forward_kl_top_k,
    policy_loss,
    teacher_top_k,
)
from memcalib_train.core.thresholds import Pool, ThresholdConfig, update_threshold

F64 = torch.float64
EMPTY = torch.empty(0, dtype=F64)


def tensor(values):
    return torch.tensor(values, dtype=F64)


def ids(cases):
    return [c["name"] for c in cases]


@pytest.mark.parametrize("name", NAMES)
def test_the_copies_equal_the_shared_golden_files(name):
    if not SHARED.is_dir():
        pytest.skip(f"no shared folder at {SHARED}: set MEMCALIB_SHARED to compare the copies")
    assert (COPIES / f"{name}.json").read_bytes() == (SHARED / f"{name}.json").read_bytes()


# rewards.json -------------------------------------------------------------------------------------------------------

REWARDS = golden("rewards")


@pytest.mark.parametrize("case", REWARDS["cases"], ids=ids(REWARDS["cases"]))
def test_rewards_and_metrics(case):
    counts = count_channels([a["ideal"] for a in case["atoms"]], [a["actual"] for a in case["atoms"]])
    assert counts == case["counts"]
    counts_BH = torch.tensor([counts])
    Z_BH = denominators(counts_BH)
    assert Z_BH[0].tolist() == case["Z"]
    R_BH = rewards(counts_BH, Z_BH)
    assert near(R_BH[0].tolist(), [float(Fraction(r)) for r in case["rewards"]])
    assert near(float(sum_channels(R_BH)[0]), float(Fraction(case["reward_total"])))
    m = use_metrics(counts_BH)
    got = [m.over_B, m.under_B, m.smos_B, m.smus_B, m.aor_B, m.aur_B, m.scs_B, m.exact_B]
    assert [float(v[0]) for v in got] == [case[k] for k in ("O", "U", "sMOS", "sMUS", "AOR", "AUR", "SCS", "exact")]


def test_f1_means():
    counts = torch.tensor([c["counts"] for c in REWARDS["cases"] if c["name"].startswith("f1_")])
    m = use_metrics(counts)
    got = {"SCS": m.scs_B, "exact": m.exact_B, "sMOS": m.smos_B, "sMUS": m.smus_B, "AOR": m.aor_B, "AUR": m.aur_B}
    assert {k: 100 * float(v.mean()) for k, v in got.items()} == REWARDS["f1_mean_percent"]


# groups.json --------------------------------------------------------------------------------------------------------

GROUPS = golden("groups")
BY_NAME = {c["name"]: c for c in GROUPS["cases"]}


def group_inputs(cases):
    counts = torch.tensor([row for c in cases for row in c["counts"]])
    Z = torch.tensor([c["Z"] for c in cases for _ in c["counts"]])
    group = torch.tensor([i for i, c in enumerate(cases) for _ in c["counts"]])
    valid = torch.tensor([bool(v) for c in cases for v in c["valid"]])
    return counts, Z, group, valid


@pytest.mark.parametrize("case", GROUPS["cases"], ids=ids(GROUPS["cases"]))
def test_group_advantages(case):
    split = channel_advantages(*group_inputs([case]))
    assert near(split.A_BH.tolist(), case["A"])
    assert near(sum_channels(split.A_BH).tolist(), case["S"])
    assert split.degenerate_PH[0].int().tolist() == case["degenerate"]
    total = total_advantages(*group_inputs([case]))
    assert near(total.A_BH[:, 0].tolist(), case["grpo"])
    assert int(total.degenerate_PH[0, 0]) == case["grpo_degenerate"]
    for h, dead in enumerate(case["degenerate"]):
        if dead:
            assert (split.A_BH[:, h] == 0).all(), "degenerate is exactly 0"
    if case["grpo_degenerate"]:
        assert (total.A_BH == 0).all()
    invalid = torch.tensor(case["valid"]) == 0
    assert (split.A_BH[invalid] == 0).all() and (total.A_BH[invalid] == 0).all()


@pytest.mark.parametrize("case", GROUPS["batches"], ids=ids(GROUPS["batches"]))
def test_batch_scale(case):
    members = [BY_NAME[name] for name in case["groups"]]
    counts, Z, group, valid = group_inputs(members)
    S = sum_channels(channel_advantages(counts, Z, group, valid).A_BH)
    assert int(valid.sum()) == case["valid_rows"]
    if case["error"]:
        with pytest.raises(NoValidResponseError) as stop:
            batch_scale(S, valid)
        assert stop.value.code == case["error"]
        return
    scale = batch_scale(S, valid)
    assert near(float(scale), case["sigma_S"])
    assert near((S / scale).tolist(), [v for row in case["gdpo"] for v in row])
    grpo = total_advantages(counts, Z, group, valid).A_BH[:, 0]
    assert near(grpo.tolist(), [v for row in case["grpo"] for v in row])


# localize.json ------------------------------------------------------------------------------------------------------

LOCALIZE = golden("localize")


def test_sign_table():
    table = LOCALIZE["sign_table"]
    assert [(t["channel"], t["label"], t["atom_reward"], t["s"]) for t in table] == list(
        zip(CHANNELS, LABELS, ATOM_REWARDS, SIGNS, strict=True))
    assert [*FALLBACK_NAMES[1:-1]] == LOCALIZE["gate_order"]


def localize_config(case):
    keys = ("granularity", "signal", "d_max", "delta_tok_abs", "delta_sent_abs", "gamma", "eta", "cap")
    return LocalizeConfig(**{k: case[k] for k in keys if case.get(k) is not None})


def sentence_index(case):
    spans = case.get("sentences")
    return None if not spans else torch.tensor([[j for j, (a, b) in enumerate(spans) for _ in range(a, b)]])


def one_pair(case, pad=0):
    T = case["T"]
    d = case["d"] if case["d"] is not None else [float("nan")] * T
    sentence = sentence_index(case)
    if sentence is not None and pad:
        sentence = torch.cat([sentence, torch.full((1, pad), 99)], 1)
    return Pairs(CHANNELS.index(case["channel"]), tensor([d + [float("nan")] * pad]), torch.tensor([case["d"] is not None]),
                 torch.tensor([T]), tensor([case["R"]]), tensor([case["A"]]), case["delta"], case.get("delta_sent") or 0.0,
                 sentence)


@pytest.mark.parametrize("pad", [0, 3], ids=["exact width", "padded"])
@pytest.mark.parametrize("case", LOCALIZE["cases"], ids=ids(LOCALIZE["cases"]))
def test_localize(case, pad):
    want, T = case["expected"], case["T"]
    got = localize(one_pair(case, pad), localize_config(case))
    reason = FALLBACK_NAMES[int(got.fallback_N[0])]
    assert reason == (want["fallback"] or "localized")
    assert int(got.chi_N[0]) == want["chi"]
    m = got.m_KT[0, :T] if want["chi"] else torch.ones(T, dtype=F64)
    factor = factors(m, case["eta"]) if want["chi"] else m
    A_tilde = case["A"] * factor
    assert near(factor.tolist(), want["factor"]) and near(A_tilde.tolist(), want["A_tilde"])
    if want["fallback"] or case["eta"] == 0:
        assert (A_tilde == case["A"]).all(), "uniform credit is A bit for bit"
    if case["d"] is None:
        return
    assert near(got.z_NT[0, :T].tolist(), want["z"]) and near(got.clipped_NT[0, :T].tolist(), want["clipped"])
    assert int(got.gate_token_N[0]) == want["gate_token"]
    if case["granularity"] == "sentence":
        J = len(case["sentences"])
        assert near(got.a_NJ[0, :J].tolist(), want["a"]) and near(got.c_NJ[0, :J].tolist(), want["c"])
        assert int(got.gate_sentence_N[0]) == want["gate_sentence"]
        assert near(got.q_NS[0, :J].tolist(), want["q"])
    else:
        assert near(got.q_NS[0, :T].tolist(), want["q"])
    assert near(float(got.Q_N[0]), want["Q"])
    if want["chi"]:
        assert near(got.m_before_KT[0, :T].tolist(), want["m_before"])
        assert near(float(got.tau_K[0]), want["tau"]) and near(m.tolist(), want["m"])
        assert (got.m_KT[0, T:] == 0).all()


@pytest.mark.parametrize("case", LOCALIZE["responses"], ids=ids(LOCALIZE["responses"]))
def test_whole_response(case, monkeypatch):
    """assign_credit merges the channels of a response; the R, A and other S of the case take the place of computed ones."""
    from memcalib_train.core import credit as module

    T, others = case["T"], case["S_other_valid_responses"]
    rows = 1 + len(others)
    R = torch.zeros(rows, 9, dtype=F64)
    A = torch.zeros(rows, 9, dtype=F64)
    R[0], A[0] = tensor([c["R"] for c in case["channels"]]), tensor([c["A"] for c in case["channels"]])
    A[1:, 0] = tensor(others)
    monkeypatch.setattr(module, "advantages_only", lambda batch, config: (R, A, torch.zeros(rows, 9, dtype=torch.bool)))
    counts = torch.zeros(rows, 9, dtype=torch.int64)
    counts[0] = torch.tensor([c["count"] for c in case["channels"]])
    sentence = sentence_index(case)
    sentence_BT = None if sentence is None else sentence.expand(rows, -1)
    batch = Batch(counts, torch.arange(rows), torch.ones(rows, dtype=torch.bool), torch.full((rows,), T), sentence_BT)
    found = {}
    for h, c in enumerate(case["channels"]):
        if c["count"] and SIGNS[h]:
            d = c["d"] if c["d"] is not None else [0.0] * T
            found[h] = Counterfactuals(torch.tensor([0]), tensor([d]), torch.tensor([c["d"] is not None]), torch.tensor([1]))
    got = assign_credit(batch, CreditConfig(localize=localize_config(case)), found, [c["delta"] for c in case["channels"]],
                        [c.get("delta_sent") or 0.0 for c in case["channels"]])
    want = case["expected"]
    assert near(got.sigma_S, want["sigma_S"]) and near(float(got.S_B[0]), want["S"])
    assert near(got.A_hat_BT[0].tolist(), want["A_hat"])
    assert near((got.A_hat_BT[0] * got.sigma_S).tolist(), want["B"])
    assert near(float(got.A_hat_BT[0].mean()), want["gdpo"])
    assert near(float(got.S_B[0] / got.sigma_S), want["gdpo"])
    for h, channel in enumerate(want["channels"]):
        assert FALLBACK_NAMES[int(got.fallback_BH[0, h])] == (channel["fallback"] or "localized")
        if channel["chi"]:
            rows_K, m_KT = got.multipliers[h]
            assert rows_K.tolist() == [0] and near(m_KT[0].tolist(), channel["m"])


# thresholds.json ----------------------------------------------------------------------------------------------------

THRESHOLDS = golden("thresholds")


def threshold_config(case):
    return ThresholdConfig(case["delta_start"], case["floor"], case["quantile"], case["ema"], case["min_scores"])


def check_update(got, want):
    assert got.updated == bool(want["updated"])
    assert near(got.quantile, want["quantile"]) and near(got.candidate, want["candidate"])
    assert near(got.delta_after, want["delta_after"])


@pytest.mark.parametrize("case", THRESHOLDS["cases"], ids=ids(THRESHOLDS["cases"]))
def test_threshold_sequences(case):
    delta = case["delta_start"]
    for step in case["steps"]:
        got = update_threshold(delta, Pool(tensor(step["pool"]), EMPTY), threshold_config(case))
        check_update(got, step)
        delta = got.delta_after


@pytest.mark.parametrize("case", THRESHOLDS["pools"], ids=ids(THRESHOLDS["pools"]))
def test_pools_hold_every_scored_pair(case):
    rows, T = case["rows"], case["T"]
    pairs = Pairs(CHANNELS.index(case["channel"]), tensor([r["d"] or [float("nan")] * T for r in rows]),
                  torch.tensor([r["d"] is not None for r in rows]), torch.full((len(rows),), T), tensor([r["R"] for r in rows]),
                  tensor([r["A"] for r in rows]), case["delta"], case.get("delta_sent") or 0.0,
                  None if not case.get("sentences") else sentence_index(case).expand(len(rows), -1))
    got = localize(pairs, localize_config(case))
    pool = got.scores_NS[got.counted_NS]
    assert near(pool.tolist(), case["expected"]["pool"])
    check_update(update_threshold(case["delta_start"], Pool(pool, EMPTY), threshold_config(case)), case["expected"])


# objectives.json ----------------------------------------------------------------------------------------------------

OBJECTIVES = golden("objectives")


def run_policy_loss(case, advantages, rows=None, tokens=None):
    take = (lambda v: tensor(v)) if rows is None else (lambda v: tensor([v[r] for r in rows]))
    new = take(case["logp_new"]).requires_grad_()
    ref = case.get("logp_ref")
    terms = policy_loss(new, take(case["logp_old"]), take(advantages), take(case["mask"]), tokens=tokens, clip=case["clip"],
                        beta=case.get("beta", 0.0), logp_ref_BT=None if ref is None else take(ref),
                        log_ratio_clamp=case["log_ratio_clamp"])
    return new, terms


def check_policy_loss(case, advantages):
    want = case["expected"]
    if want["error"]:
        with pytest.raises(NoValidTokenError) as stop:
            run_policy_loss(case, advantages)
        assert stop.value.code == want["error"]
        return
    new, terms = run_policy_loss(case, advantages)
    terms.loss.backward()
    for name, value in (("loss", terms.loss), ("policy_loss", terms.policy_loss), ("kl", terms.kl)):
        assert near(float(value.detach()), want[name]), name
    assert terms.clipped_BT.int().tolist() == want["clipped"]
    assert near(new.grad.tolist(), want["gradient"])
    for rows, loss in zip(case.get("micro_batches", []), want.get("micro_batch_losses", []), strict=True):
        assert near(float(run_policy_loss(case, advantages, rows, want["tokens"])[1].loss.detach()), loss)


@pytest.mark.parametrize("case", OBJECTIVES["cases"], ids=ids(OBJECTIVES["cases"]))
def test_policy_loss(case):
    check_policy_loss(case, case["advantages"])


@pytest.mark.parametrize("case", OBJECTIVES["opsd_pg"], ids=ids(OBJECTIVES["opsd_pg"]))
def test_opsd_pg(case):
    A = distillation_advantages(tensor(case["logp_teacher"]), tensor(case["logp_old"]), tensor(case["mask"]))
    assert near(A.tolist(), case["expected"]["advantages"])
    check_policy_loss(case, A.tolist())


@pytest.mark.parametrize("case", OBJECTIVES["opsd_gkd"], ids=ids(OBJECTIVES["opsd_gkd"]))
def test_opsd_gkd(case):
    want = case["expected"]
    ids_BTK, teacher_BTK = teacher_top_k(tensor(case["logp_teacher"]), case["k"])
    assert ids_BTK.tolist() == want["topk"]
    student = tensor(case["logp_student"]).requires_grad_()
    student_BTK = student.gather(-1, ids_BTK)
    assert near(forward_kl_top_k(teacher_BTK, student_BTK).tolist(), want["kl_before_clamp"])
    loss = distillation_loss(teacher_BTK, student_BTK, tensor(case["mask"]))
    loss.backward()
    assert near(float(loss.detach()), want["loss"]) and near(student.grad.tolist(), want["gradient"])
