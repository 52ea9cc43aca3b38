"""Counterfactual passes saved by `gated+sample` on late-phase steps of the learning environment, and what it does to thresholds.

Trains MiniMem (128 responses a step) through the paper's late phase (steps 84 to 125) and plans and scores every tenth step of it both
ways. The policy is trained with GDPO by default: at this learning rate it ends near SCS 98, as late in the paper most groups agree.
Run: trainer/.venv/bin/python bench/trainer/counterfactuals.py [--method memcalib-rl]
"""

import json
import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "trainer" / "tests"))
from minirun import learning_config

from memcalib_train.core.channels import CHANNELS, LOCALIZABLE
from memcalib_train.core.credit import METHODS, assign_credit
from memcalib_train.core.thresholds import TOKEN, update_threshold
from memcalib_train.loop.counterfactuals import plan_pairs, score_pairs
from memcalib_train.loop.drive import by_rule, drive, judgments_file
from memcalib_train.loop.judgments import load_judgments
from memcalib_train.loop.rollout import files_of, load_rollout, rollout
from memcalib_train.loop.session import Session
from memcalib_train.loop.update import make_batch, thresholds_before
from memcalib_train.minimem import judge_rollout

#: The late phase of the paper (App. J), and which of its steps are scored both ways.
LATE = range(84, 126)
MEASURED = LATE[::10]
RATIO = 2.0
METHOD = sys.argv[sys.argv.index("--method") + 1] if "--method" in sys.argv else "gdpo"


def measure(session: Session, step: int) -> dict[str, object]:
    """Tokens scored and thresholds after `step` with both scopes, from the same rollout and weights."""
    rollout(session, step)
    judged = judgments_file(session.run, step)
    by_rule(judge_rollout)(files_of(session.run, step)["rows"], judged)
    found = load_rollout(session, step)
    empty = [not session.decode(list(c)).strip() for c in found.completions]
    verdicts = load_judgments(judged, found.digest, found.response_ids, found.records, empty)
    batch, config = make_batch(session, found, verdicts), METHODS["memcalib-rl"]
    deltas = thresholds_before(session, step)
    out: dict[str, object] = {}
    for scope in ("all", "gated+sample", "gated"):
        pairs = plan_pairs(batch, config, scope, found.records, verdicts.levels, (session.config.run.seed, step))
        before = session.scorer.tokens_scored
        scored = score_pairs(pairs, found.records, found.completions, found.logp_old, session.renderer, session.scorer)
        credit = assign_credit(batch, config, scored, *deltas)
        moved = [update_threshold(deltas[0][h], credit.pools[h], TOKEN).delta_after if h in credit.pools else deltas[0][h] for h in LOCALIZABLE]
        out[scope] = {"pairs": len(pairs), "tokens": session.scorer.tokens_scored - before, "thresholds": moved}
    return out


def main() -> int:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(learning_config(Path(folder), METHOD, run__steps=MEASURED[-1]))
        steps, scores = [], []
        for step in range(1, MEASURED[-1] + 1):
            if step in MEASURED:
                steps.append(measure(session, step))
            scs = drive(session, by_rule(judge_rollout), step)["metrics"]["use"]["SCS"]
            if step in MEASURED:
                scores.append(round(scs, 1))
    tokens = {scope: sum(s[scope]["tokens"] for s in steps) for scope in steps[0]}  # type: ignore[index,misc]
    gaps = {CHANNELS[h]: max(abs(s["all"]["thresholds"][i] - s["gated+sample"]["thresholds"][i]) for s in steps)  # type: ignore[index]
            for i, h in enumerate(LOCALIZABLE)}
    ratio = tokens["all"] / tokens["gated+sample"]
    print(json.dumps({"trained_with": METHOD, "steps": list(MEASURED), "scs": scores, "tokens": tokens, "ratio": round(ratio, 2),
                      "largest_threshold_gap_of_one_step": {k: round(v, 4) for k, v in gaps.items()}}))
    print(f"gated+sample scores {ratio:.2f} x fewer tokens than all (>= {RATIO:g}); thresholds of one step differ by at most "
          f"{max(gaps.values()):.4f} nat: {'ok' if ratio >= RATIO else 'MISSED'}")
    return 0 if ratio >= RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
