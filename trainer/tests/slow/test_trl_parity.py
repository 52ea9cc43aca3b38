"""TRL as oracle: the gradient of our loss equals that of the pinned GRPOTrainer after the known scale.

Same ids, (B,) advantages, clip and beta, `use_bias_correction_kl=False`. TRL divides by the tokens of the generation batch times
accumulation / steps_per_generation; ours by the tokens of the mini-batch: here both are one batch, so the scale is
tokens x accumulation / steps_per_generation / tokens.
"""

import pytest
import torch
from toys import byte_tokenizer, tiny_model

from memcalib_train.core.objectives import policy_loss
from memcalib_train.model.policy import Policy
from memcalib_train.model.scorer import pack

pytestmark = pytest.mark.slow
LIMIT = 1e-5
ACCUMULATION, PER_GENERATION = 2, 4


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    folder = tmp_path_factory.mktemp("trl")
    tokenizer = byte_tokenizer()
    tiny_model(len(tokenizer), pad_token_id=0).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    arguments = GRPOConfig(output_dir=str(folder / "out"), per_device_train_batch_size=2, gradient_accumulation_steps=ACCUMULATION,
                           steps_per_generation=PER_GENERATION, num_generations=4, max_completion_length=16, beta=0.05, epsilon=0.2,
                           loss_type="dapo", use_bias_correction_kl=False, temperature=1.0, report_to=[], use_cpu=True, bf16=False,
                           disable_dropout=True, gradient_checkpointing=False)
    data = Dataset.from_list([{"prompt": "The user has a dog."}] * 8)
    made = GRPOTrainer(model=str(folder / "model"), reward_funcs=lambda completions, **_: [0.0] * len(completions), args=arguments,
                       train_dataset=data, processing_class=tokenizer)
    made.current_gradient_accumulation_steps = ACCUMULATION
    made.model.float().train()
    return made


def batch(vocabulary):
    g = torch.Generator().manual_seed(5)
    prompts = [torch.randint(5, vocabulary, (n,), generator=g).tolist() for n in (6, 9, 4, 7)]
    completions = [torch.randint(5, vocabulary, (n,), generator=g).tolist() for n in (8, 3, 16, 11)]
    return prompts, completions, torch.tensor([1.3, -0.7, 0.4, -1.1])


def ragged(parts, left, fill):
    width = max(len(p) for p in parts)
    rows = [[fill] * (width - len(p)) + list(p) if left else list(p) + [fill] * (width - len(p)) for p in parts]
    return torch.tensor(rows)


def gradients(model):
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]).double()


def run(trainer, clip=0.2, beta=0.05):
    """(their gradient after the known scale, ours) for the same inputs, off-policy enough that tokens clip."""
    model = trainer.model
    prompts, completions, A_B = batch(model.config.vocab_size)
    packed = pack(list(zip(prompts, completions, strict=True)), 0)
    policy = Policy(model)
    mask_BT = ragged([[1] * len(c) for c in completions], False, 0)
    with torch.no_grad():
        now_BT = torch.zeros(mask_BT.shape).masked_scatter(mask_BT.bool(), policy(packed))
    g = torch.Generator().manual_seed(6)
    old_BT = now_BT + 0.3 * torch.randn(mask_BT.shape, generator=g)
    ref_BT = now_BT + 0.3 * torch.randn(mask_BT.shape, generator=g)
    # one token a row between the clip limits 0.19 and 0.2
    old_BT[:, 1] = now_BT[:, 1] - torch.log(torch.where(A_B > 0, 1.195, 0.805))
    tokens = int(mask_BT.sum())
    inputs = {"prompt_ids": ragged(prompts, True, 0), "prompt_mask": ragged([[1] * len(p) for p in prompts], True, 0),
              "completion_ids": ragged(completions, False, 0), "completion_mask": mask_BT, "advantages": A_B,
              "old_per_token_logps": old_BT, "ref_per_token_logps": ref_BT, "num_items_in_batch": torch.tensor(tokens)}
    model.zero_grad()
    trainer._compute_loss(model, inputs).backward()
    theirs = gradients(model) * (ACCUMULATION / PER_GENERATION)
    model.zero_grad()
    new_BT = torch.zeros(mask_BT.shape).masked_scatter(mask_BT.bool(), policy(packed))
    terms = policy_loss(new_BT, old_BT, A_B[:, None].expand_as(mask_BT), mask_BT, clip=clip, beta=beta, logp_ref_BT=ref_BT)
    terms.loss.backward()
    assert 0 < int(terms.clipped_BT.sum()) < tokens, "the case must clip some tokens"
    return theirs, gradients(model)


def distance(theirs, ours):
    return float((theirs - ours).norm() / theirs.norm())


def test_gradients_agree(trainer):
    value = distance(*run(trainer))
    print(f"relative L2 distance {value:.2e}")
    assert value <= LIMIT


@pytest.mark.parametrize("wrong", [{"beta": 0.0}, {"beta": 0.1}, {"clip": 0.19}], ids=["beta 0", "beta doubled", "clip 0.19"])
def test_the_comparison_notices_a_wrong_constant(trainer, wrong):
    assert distance(*run(trainer, **wrong)) > 10 * LIMIT
