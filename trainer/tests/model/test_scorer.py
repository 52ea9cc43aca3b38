"""Scorer and head: equal to the naive form, whatever the padding, the chunk, the batch mix."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from toys import tiny_model

from memcalib_train.errors import TrainerError
from memcalib_train.model.head import chunked_entropy, chunked_logp, chunked_logp_at, chunked_top_k
from memcalib_train.model.policy import Policy
from memcalib_train.model.scorer import Scorer, pack, plan_micro_batches, self_noise

POLICY = Policy(tiny_model(), head_chunk=7)


def items(seed=0, count=6):
    g = torch.Generator().manual_seed(seed)
    draw = lambda low, high: torch.randint(1, 64, (int(torch.randint(low, high, (1,), generator=g)),), generator=g).tolist()  # noqa: E731
    return [(draw(2, 9), draw(1, 12)) for _ in range(count)]


def naive(prompt, completion):
    ids = torch.tensor([[*prompt, *completion]])
    logp = POLICY.model(input_ids=ids).logits[0].log_softmax(-1)
    return logp[len(prompt) - 1:-1].gather(1, torch.tensor(completion)[:, None])[:, 0].detach()


def test_scorer_equals_the_naive_form_in_every_batch_mix():
    rows = items()
    for budget in (1, 40, 10_000):
        for (prompt, completion), got in zip(rows, Scorer(POLICY, 0, budget).logp(rows), strict=True):
            assert got.dtype == torch.float32 and torch.allclose(got, naive(prompt, completion), atol=1e-5)


def test_what_stands_in_the_padding_does_not_matter():
    rows = items(1)
    a, b = (torch.cat(Scorer(POLICY, pad, 10_000).logp(rows)) for pad in (0, 63))
    assert torch.allclose(a, b, atol=1e-6)


def test_identity_control_sees_only_rounding_on_a_cpu():
    p50, p999 = self_noise(Scorer(POLICY, 0, 10_000), items(2))
    assert p50 <= p999 < 1e-5


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 120))
def test_micro_batches_hold_every_row_once_and_keep_the_budget(lengths, budget):
    batches = plan_micro_batches(lengths, budget)
    assert sorted(i for b in batches for i in b) == list(range(len(lengths)))
    assert all(len(b) == 1 or len(b) * max(lengths[i] for i in b) <= budget for b in batches)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("chunk", [1, 5, 100])
def test_chunked_head_equals_the_naive_head_with_gradients(chunk, bias):
    g = torch.Generator().manual_seed(0)
    leaves = [torch.randn(17, 8, generator=g, dtype=torch.float32), torch.randn(30, 8, generator=g), torch.randn(30, generator=g)]
    target_MK = torch.randint(0, 30, (17, 3), generator=g)
    weight_MK = torch.randn(17, 3, generator=g)
    grads = []
    for chunked in (True, False):
        h, w, b = (leaf.clone().requires_grad_() for leaf in leaves)
        if chunked:
            logp = chunked_logp_at(h, w, b if bias else None, target_MK, chunk)
        else:
            logp = torch.nn.functional.linear(h, w, b if bias else None).log_softmax(-1).gather(1, target_MK)
        (logp * weight_MK).sum().backward()
        grads.append([logp.detach(), h.grad, w.grad, *([b.grad] if bias else [])])
    for got, want in zip(*grads, strict=True):
        assert torch.allclose(got, want, atol=2e-5)


def test_entropy_and_top_k_come_from_the_same_logits():
    h, w = torch.randn(9, 8), torch.randn(30, 8)
    logp = (h @ w.T).log_softmax(-1)
    assert torch.allclose(chunked_entropy(h, w, None, 4), -(logp.exp() * logp).sum(-1), atol=1e-5)
    ids, values = chunked_top_k(h, w, None, 5, 4)
    assert torch.equal(ids, logp.topk(5).indices) and torch.allclose(values, logp.topk(5).values, atol=1e-5)
    assert torch.allclose(chunked_logp(h, w, None, ids[:, 0], 4), values[:, 0], atol=1e-5)


class Fits(Policy):
    """A policy that runs out of memory above so many rows."""

    rows, calls = 2, 0

    def forward(self, packed, *rest):
        self.calls += 1
        if packed.input_BL.shape[0] > self.rows:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return super().forward(packed, *rest)


def test_out_of_memory_is_retried_once_at_half_the_budget():
    rows = items(3, 4)
    policy = Fits(POLICY.model)
    assert torch.allclose(torch.cat(Scorer(policy, 0, 10_000).logp(rows)), torch.cat(Scorer(POLICY, 0).logp(rows)), atol=1e-5)
    assert policy.calls == 3
    policy.rows = 1
    with pytest.raises(TrainerError, match="--set model.token_budget="):
        Scorer(policy, 0, 10_000).logp(rows)


def test_pack_lists_completion_positions():
    packed = pack([([1, 2], [3, 4]), ([5], [6])], 0)
    assert packed.input_BL.tolist() == [[1, 2, 3, 4], [5, 6, 0, 0]]
    assert (packed.row_M.tolist(), packed.source_M.tolist(), packed.target_M.tolist()) == ([0, 0, 1], [1, 2, 0], [3, 4, 6])
