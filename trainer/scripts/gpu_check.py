"""What only a GPU can show, sized for five minutes: scorer noise in bf16, the chunked head at 151,936 vocabulary, two steps of an 8B-shaped
4-layer model, peak memory. `--twin` runs the same code on a CPU with small sizes. Needs the machine's torch and transformers only.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from minirun import make_config
from transformers import Qwen3Config, Qwen3ForCausalLM

from memcalib_train.loop.drive import by_rule, drive
from memcalib_train.loop.session import Session
from memcalib_train.minimem import VOCABULARY, judge_rollout, make_tokenizer
from memcalib_train.model.head import chunked_logp
from memcalib_train.model.policy import Policy
from memcalib_train.model.scorer import Scorer, self_noise

TWIN = "--twin" in sys.argv
DEVICE = torch.device("cpu" if TWIN else "cuda")
COMPUTE = torch.bfloat16
SHAPE = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16) if TWIN else dict(
    hidden_size=4096, intermediate_size=12_288, num_hidden_layers=4, num_attention_heads=32, num_key_value_heads=8, head_dim=128)
VOCABULARY_SIZE, POSITIONS, CHUNK = (2_000, 300, 64) if TWIN else (151_936, 8_192, 2_048)


def say(name: str, **values: object) -> None:
    print(json.dumps({"check": name, **values}), flush=True)


def peak_gb() -> float:
    return 0.0 if TWIN else round(torch.cuda.max_memory_allocated() / 1e9, 2)


def make_model(vocabulary: int) -> Qwen3ForCausalLM:
    torch.manual_seed(0)
    config = Qwen3Config(vocab_size=vocabulary, tie_word_embeddings=False, max_position_embeddings=4_096, pad_token_id=0, eos_token_id=1, **SHAPE)
    return Qwen3ForCausalLM(config)


def check_head() -> None:
    """Chunked against naive log-probabilities and gradients; the naive logits are made 512 positions at a time."""
    g = torch.Generator(device=DEVICE).manual_seed(0)
    D = SHAPE["hidden_size"]
    hidden = torch.randn(POSITIONS, D, generator=g, device=DEVICE).requires_grad_()
    weight = (torch.randn(VOCABULARY_SIZE, D, generator=g, device=DEVICE) * 0.02).requires_grad_()
    target = torch.randint(0, VOCABULARY_SIZE, (POSITIONS,), generator=g, device=DEVICE)
    start = time.perf_counter()
    logp = chunked_logp(hidden, weight, None, target, CHUNK)
    logp.sum().backward()
    few = slice(0, min(512, POSITIONS))
    leaf = hidden.detach()[few].requires_grad_()
    naive = torch.nn.functional.linear(leaf, weight.detach()).log_softmax(-1).gather(1, target[few, None])[:, 0]
    naive.sum().backward()
    value, gradient = float((naive - logp[few]).detach().abs().max()), float((leaf.grad - hidden.grad[few]).abs().max())
    say("chunked head", vocabulary=VOCABULARY_SIZE, positions=POSITIONS, seconds=round(time.perf_counter() - start, 2), largest_gap=value,
        largest_gradient_gap=gradient, peak_gb=peak_gb())
    assert value < 1e-3 and gradient < 1e-3, "the chunked head differs from the naive one"


def check_noise() -> None:
    """The same rows in two batch mixes, in bf16: p99.9 must stay below delta_tok_abs = 0.02, or that constant has to rise."""
    policy = Policy(make_model(VOCABULARY_SIZE).to(DEVICE), COMPUTE, CHUNK).eval()
    g = torch.Generator().manual_seed(1)
    draw = lambda n: torch.randint(5, VOCABULARY_SIZE, (n,), generator=g).tolist()  # noqa: E731
    long = 20 if TWIN else 400
    items = [(draw(long + 7 * i), draw(long // 2 + 5 * i)) for i in range(16)]
    p50, p999 = self_noise(Scorer(policy, 0, 1 << 30), items)
    say("scorer self-noise bf16", p50=p50, p99_9=p999, below_delta_tok_abs=p999 < 0.02, peak_gb=peak_gb())


def check_steps() -> None:
    """Two MemCalib-RL steps by the loop itself: bf16 compute, fp32 master weights."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = make_model(len(VOCABULARY))
        model.save_pretrained(folder / "base")
        make_tokenizer().save_pretrained(folder / "base")
        del model
        config = make_config(folder, "gpu", 16, folder / "base", model__device=DEVICE.type, model__compute="bf16", rollout__prompts=8,
                             rollout__max_new_tokens=32, optim__mini_batch=16, optim__lr=1e-5, run__max_invalid_share=0.9, run__steps=2)
        start = time.perf_counter()
        session = Session(config)
        state = drive(session, by_rule(judge_rollout), 2)
        m = state["metrics"]
        say("two MemCalib-RL steps", seconds=round(time.perf_counter() - start, 1), parameters=sum(p.numel() for p in session.policy.parameters()),
            pairs=m["counterfactual"]["pairs"], grad_norm=m["grad_norm"], conservation=m["conservation"], peak_gb=peak_gb())
        assert state["step"] == 2 and all(n > 0 for n in m["grad_norm"])


def main() -> int:
    if not TWIN and not torch.cuda.is_available():
        print("gpu-check: no GPU here; run `trainer/.venv/bin/python trainer/scripts/gpu_check.py --twin` for the CPU twin.", file=sys.stderr)
        return 1
    say("machine", torch=torch.__version__, device="cpu twin" if TWIN else torch.cuda.get_device_name())
    check_head()
    check_noise()
    check_steps()
    print("gpu-check: ok" + (" (CPU twin; not run on a GPU)" if TWIN else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
