"""SIGKILL in rollout, between rollout and update, in update, in checkpointing: the final weights are those of the straight run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from minirun import make_session

from memcalib_train.loop.drive import by_rule, drive
from memcalib_train.minimem import judge_rollout

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
STEPS = 4


def spawn(folder, *arguments):
    paths = os.pathsep.join([str(HERE.parent), str(HERE.parents[1])])
    return subprocess.run([sys.executable, str(HERE / "killrun.py"), str(folder), str(STEPS), *arguments], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}, check=False)


def test_killed_runs_end_with_the_weights_of_the_straight_run(tmp_path):
    judged = {}

    def counting(lines):
        judged[lines[0]["response_id"][:5]] = judged.get(lines[0]["response_id"][:5], 0) + 1
        return judge_rollout(lines)

    straight = drive(make_session(tmp_path, "straight"), by_rule(counting), STEPS)
    assert judged == {f"s{n:04}": 1 for n in range(1, STEPS + 1)}
    for point, step in (("generate", 1), ("between", 2), ("update", 2), ("checkpoint", 3), ("renamed", 3)):
        done = spawn(tmp_path, point, str(step))
        assert done.returncode == -9, f"{point}: {done.returncode} {done.stderr[-500:]}"
    done = spawn(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == straight["weights_digest"]
    lines = [json.loads(line)["step"] for line in (tmp_path / "killed" / "metrics.jsonl").read_text().splitlines()]
    assert lines == [1, 2, 3, 4], "every step once"
