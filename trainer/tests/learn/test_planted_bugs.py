"""Planted bugs: each is put into a copy of core/ (or loop/), and some test must notice. The table names bug and test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.learn
TRAINER = Path(__file__).resolve().parents[2]
GOLDEN, IDENTITIES = "tests/core/test_golden.py", "tests/core/test_identities.py"

#: name: (file, right, wrong, tests that are run, the test that must fail)
BUGS = {
    "flipped sign": ("core/channels.py", '0 if h == "AA" else -1 if step < 0 else 1', '0 if h == "AA" else 1', GOLDEN,
                     "test_localize[under_use"),
    "missing channel": ("core/channels.py", "if SIGNS[h] != 0)", 'if SIGNS[h] != 0 and CHANNELS[h] != "CB")',
                        "tests/loop/test_counterfactuals.py", "test_every_channel_but_aa_is_localizable"),
    "gates reordered": ("core/localize.py", "for gate in range(len(failed) - 1, -1, -1)", "for gate in range(len(failed))", GOLDEN,
                        "test_localize[two_gates_fail"),
    "floor dropped": ("core/thresholds.py", "max(config.floor, value)", "value", GOLDEN, "test_threshold_sequences[floor]"),
    "sample std": ("core/groups.py", "(squares_PH[group_B] / rows_B1).sqrt()", "(squares_PH[group_B] / (rows_B1 - 1).clamp(min=1)).sqrt()",
                   GOLDEN, "test_group_advantages[mixed]"),
    "invalid row in the baseline": ("core/groups.py", "n_BH = torch.where(valid_B[:, None], counts_BH, 0)", "n_BH = counts_BH", GOLDEN,
                                    "test_group_advantages[invalid_row_in_the_middle]"),
    "invalid row in the RMS": ("core/groups.py", "(S_B[valid_B] ** 2).mean()", "(S_B ** 2).mean()", GOLDEN,
                               "test_batch_scale[with_an_invalid_row]"),
    "gate on the clipped signal": ("core/localize.py", "z_NT.amax(1) > config.delta_tok_abs", "clipped_NT.amax(1) > config.delta_tok_abs",
                                   GOLDEN, "test_localize[gate_uses_the_unclipped_signal"),
    "projection forgotten": ("core/localize.py", "m_KT, tau_K = project(raw_KT, pairs.length_N[rows_K], config.cap)",
                             "m_KT, tau_K = raw_KT, torch.zeros(len(rows_K))", GOLDEN, "test_localize[cap_binds"),
    "tokens of the micro-batch": ("core/objectives.py", "policy = -torch.minimum(free, bounded).sum() / count",
                                  "policy = -torch.minimum(free, bounded).sum() / int(on.sum())", GOLDEN, "test_policy_loss[micro_batches]"),
    "KL the other way round": ("core/objectives.py", "k3(logp_ref_BT[on] - new", "k3(new - logp_ref_BT[on]", GOLDEN,
                               "test_policy_loss[all_four_clip_cases]"),
}


@pytest.mark.parametrize("name", BUGS)
def test_planted_bug_is_caught(name, tmp_path):
    file, right, wrong, tests, catcher = BUGS[name]
    for part in ("memcalib_train", "tests", "pyproject.toml"):
        source = TRAINER / part
        if source.is_dir():
            shutil.copytree(source, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "assets"))
        else:
            shutil.copy(source, tmp_path)
    target = tmp_path / "memcalib_train" / file
    text = target.read_text()
    assert text.count(right) == 1, f"{file} no longer holds {right!r} once: move the planted bug"
    target.write_text(text.replace(right, wrong))
    function = catcher.split("[")[0]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--tb=no", "-rf", tests, "-k", function], cwd=tmp_path,
                          capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{tmp_path / 'tests'}", "OMP_NUM_THREADS": "1"})
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-500:]
    assert f"FAILED {tests}::{catcher}" in done.stdout, done.stdout[-2000:]
    print(f"{name}: caught by {catcher}")
