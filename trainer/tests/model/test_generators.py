"""One contract suite for all generators. vLLM's runs on a recorded fake: its output shapes, written by hand; not run on a GPU."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from toys import tiny_model

from memcalib_train.errors import TrainerError
from memcalib_train.model.generate import HuggingFaceGenerator, Request, draw
from memcalib_train.model.generate_vllm import VllmGenerator
from memcalib_train.model.policy import Policy
from memcalib_train.model.scorer import Scorer

END = 3
POLICY = Policy(tiny_model(seed=4))
REQUESTS = [Request((5, 6, 7), 3, 11), Request((8, 9), 2, 12)]
RECORDED = json.loads((Path(__file__).parent / "vllm-recorded.json").read_text())


class FakeVllm:
    """Answers like vllm.LLM.generate: RequestOutput(outputs=[CompletionOutput]) from the recording, checking what it is asked."""

    def __init__(self):
        self.loaded = []

    def generate(self, prompts, params, use_tqdm=False, lora_request=None):
        found = []
        for prompt, one in zip(prompts, params, strict=True):
            assert one.temperature == 1.0 and one.top_p == 1.0 and one.top_k in (0, -1) and one.logprobs == 0
            key = f"{prompt['prompt_token_ids']} n={one.n} seed={one.seed} max={one.max_tokens}"
            if key not in RECORDED:
                raise AssertionError(f"unscripted call: {key}")
            found.append(SimpleNamespace(outputs=[SimpleNamespace(
                token_ids=o["token_ids"], finish_reason=o["finish_reason"], stop_reason=None,
                logprobs=[{i: SimpleNamespace(logprob=lp)} for i, lp in zip(o["token_ids"], o["logprobs"], strict=True)])
                for o in RECORDED[key]]))
        return found

    def apply_model(self, function):
        self.loaded.append(function)


def make(kind):
    if kind == "hf":
        return HuggingFaceGenerator(POLICY, 0, [END], 4)
    return VllmGenerator(FakeVllm(), lambda **settings: SimpleNamespace(**settings), [END])


@pytest.fixture(params=["hf", "vllm"])
def generator(request):
    return make(request.param)


def test_n_samples_per_request_in_order_with_log_probabilities(generator):
    groups = generator.generate(REQUESTS, 12)
    assert [len(g) for g in groups] == [3, 2]
    for sample in (s for g in groups for s in g):
        assert 1 <= len(sample.ids) <= 12 and all(isinstance(i, int) for i in sample.ids)
        assert sample.logprobs is not None and len(sample.logprobs) == len(sample.ids) and max(sample.logprobs) <= 0


def test_the_end_token_is_kept_and_nothing_follows_it(generator):
    samples = [s for g in generator.generate(REQUESTS, 12) for s in g]
    for sample in samples:
        assert (sample.finish == "stop") == (sample.ids[-1] == END)
        assert END not in sample.ids[:-1]
        assert sample.finish == "stop" or len(sample.ids) == 12
    assert {s.finish for s in samples} == {"stop", "length"}, "the case must hold both"


def test_equal_requests_give_equal_samples(generator):
    assert generator.generate(REQUESTS, 12) == generator.generate(REQUESTS, 12)


def test_samples_do_not_depend_on_the_batch_they_sit_in():
    whole = make("hf").generate(REQUESTS, 12)
    alone = [HuggingFaceGenerator(POLICY, 0, [END], 1).generate([r], 12)[0] for r in REQUESTS]
    assert [[s.ids for s in g] for g in whole] == [[s.ids for s in g] for g in alone]


def test_sampler_log_probabilities_are_the_scorers():
    groups = make("hf").generate(REQUESTS, 12)
    items = [(r.prompt_ids, s.ids) for r, g in zip(REQUESTS, groups, strict=True) for s in g]
    for (_, _), sample, scored in zip(items, [s for g in groups for s in g], Scorer(POLICY, 0).logp(items), strict=True):
        assert torch.allclose(torch.tensor(sample.logprobs), scored, atol=1e-5)


def test_draws_follow_the_distribution():
    logits = torch.tensor([[0.0, 1.0, 2.0, -1.0]])
    uniform = torch.linspace(0, 1, 20_001)[:-1].double() + 2.5e-5
    tokens, logp = draw(logits.expand(len(uniform), -1), uniform)
    share = torch.bincount(tokens, minlength=4) / len(tokens)
    assert torch.allclose(share, logits[0].softmax(0), atol=2e-4)
    assert torch.allclose(logp, logits[0].log_softmax(0)[tokens], atol=1e-5)


def test_vllm_is_optional():
    from memcalib_train.model.load import ModelConfig

    with pytest.raises(TrainerError, match="vLLM is not installed"):
        VllmGenerator.load(ModelConfig(path="nowhere"), [END])
