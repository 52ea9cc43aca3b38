"""One MemCalib-RL step on a model of about 30 M parameters, 512 responses of 300 tokens: time outside model passes and generation.

Generation and model passes are timed where they happen; the rest (rendering, judging by rule, credit, files, checkpoint) must stay
at 10 % or less. A full step takes over an hour on one CPU core, so 16 rows are run and the parts that grow with rows are scaled to
512; the checkpoint and the optimizer, which do not grow, are timed apart. Run: trainer/.venv/bin/python bench/trainer/step.py [--rows 16]
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "trainer" / "tests"))
from minirun import make_config

from memcalib_train.loop import checkpoint
from memcalib_train.loop.drive import by_rule, judgments_file
from memcalib_train.loop.rollout import files_of, rollout
from memcalib_train.loop.session import Session
from memcalib_train.loop.update import update
from memcalib_train.minimem import make_model, save_model
from memcalib_train.model.generate import Sample
from memcalib_train.model.policy import Policy

TOKENS, SHARE, FULL_ROWS = 300, 0.10, 512


class Stopwatch:
    """Sums the wall time spent inside wrapped calls, the outermost one only."""

    def __init__(self) -> None:
        self.seconds, self.depth = 0.0, 0

    def wrap(self, function):  # type: ignore[no-untyped-def]
        def timed(*given, **named):  # type: ignore[no-untyped-def]
            self.depth += 1
            start = time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                self.depth -= 1
                if self.depth == 0:
                    self.seconds += time.perf_counter() - start
        return timed


class Scripted:
    """Generation is not what is measured: random responses of 300 tokens."""

    def sync(self, weights: str, adapter: bool) -> None: ...

    def generate(self, requests, max_new_tokens, progress=None):  # type: ignore[no-untyped-def]
        g = torch.Generator().manual_seed(0)
        return [[Sample(tuple(torch.randint(5, 40, (TOKENS,), generator=g).tolist()), "length", None) for _ in range(r.n)] for r in requests]


def judge(lines):  # type: ignore[no-untyped-def]
    """Drawn levels: every channel occurs."""
    g = torch.Generator().manual_seed(1)
    out = []
    for line in lines:
        levels = {a["atom_id"]: "ABC"[int(torch.randint(3, (1,), generator=g))] for a in line["atomic_rubrics"]}
        gaps = ["ABC".index(levels[a["atom_id"]]) - "ABC".index(a["u_star"]) for a in line["atomic_rubrics"]]
        out.append({"response_id": line["response_id"], "rollout_digest": line["rollout_digest"], "levels": levels,
                    "over_use": sum(max(x, 0) for x in gaps), "under_use": sum(max(-x, 0) for x in gaps)})
    return out


def main() -> int:
    torch.set_num_threads(1)
    rows = int(sys.argv[sys.argv.index("--rows") + 1]) if "--rows" in sys.argv else 16
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = make_model(seed=0, hidden=512, layers=12)
        save_model(folder / "base", model)
        config = make_config(folder, "bench", rows // 8, folder / "base", rollout__prompts=rows // 8, rollout__samples=8, rollout__max_new_tokens=TOKENS,
                             optim__mini_batch=rows // 2, optim__lr=1e-6, model__token_budget=16_384, run__max_invalid_share=0.5)
        session = Session(config, generator=Scripted())
        watch, optimizer, saving = Stopwatch(), Stopwatch(), Stopwatch()
        Policy.forward = watch.wrap(Policy.forward)  # type: ignore[method-assign]
        torch.Tensor.backward = watch.wrap(torch.Tensor.backward)  # type: ignore[method-assign]
        torch.optim.AdamW.step = optimizer.wrap(torch.optim.AdamW.step)  # type: ignore[method-assign]
        checkpoint.save = saving.wrap(checkpoint.save)
        start = time.perf_counter()
        rollout(session, 1)
        by_rule(judge)(files_of(session.run, 1)["rows"], judgments_file(session.run, 1))
        state = update(session, 1, judgments_file(session.run, 1))
        total = time.perf_counter() - start
    parameters = sum(p.numel() for p in model.parameters())
    grow = FULL_ROWS / rows
    other = total - watch.seconds - optimizer.seconds - saving.seconds
    full_model = watch.seconds * grow + optimizer.seconds
    full_other = other * grow + saving.seconds
    share = full_other / (full_other + full_model)
    print(json.dumps({"parameters": parameters, "rows_run": rows, "tokens": TOKENS, "pairs": state["metrics"]["counterfactual"]["pairs"],
                      "total_s": round(total, 2), "model_s": round(watch.seconds, 2), "optimizer_s": round(optimizer.seconds, 2),
                      "checkpoint_s": round(saving.seconds, 2), "other_s": round(other, 2), "outside_share_at_512": round(share, 4)}))
    print(f"one MemCalib-RL step of 512 x {TOKENS} tokens on {parameters / 1e6:.0f} M parameters (scaled from {rows} rows): {share:.1%} "
          f"outside the model (<= {SHARE:.0%}): {'ok' if share <= SHARE else 'MISSED'}")
    return 0 if share <= SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
