"""The shell loop of docs/training.md: memcalib-train rollout, memcalib judge (rehearsal model), memcalib-train update, on the tiny model."""

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from minirun import make_config

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
NODE = shutil.which("node")


def shell(folder, *command):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stderr[-800:]}"
    return json.loads(done.stdout.strip().splitlines()[-1] if done.stdout.strip().startswith('{"') else done.stdout)


@pytest.mark.skipif(NODE is None or not (ROOT / "dist" / "cli" / "main.js").exists(), reason="memcalib is not compiled: node tools/setup.mjs")
def test_rollout_judge_update_from_the_shell(tmp_path):
    config = make_config(tmp_path, "run", run__max_invalid_share=0.2)
    (tmp_path / "config.json").write_text(json.dumps(dataclasses.asdict(config)))
    source = {"name": "demo", "adapter": "meddialog", "path": str(ROOT / "datasets/demo/rows/meddialog.jsonl"), "licence": "CC0-1.0"}
    (tmp_path / "memcalib.config.json").write_text(json.dumps(
        {"name": "toy", "seed": "1", "target": {"health": 1, "general": 0, "coding": 0}, "sources": [source]}))
    run = Path(config.run.folder)
    train = (sys.executable, "-m", "memcalib_train.cli")
    run.mkdir(parents=True)
    shutil.copy(tmp_path / "config.json", run / "config.json")
    rows = run / "rollouts" / "rollout-0001.jsonl"
    rolled = shell(ROOT / "trainer", *train, "rollout", "--run", run, "--step", 1, "--json")
    judge = (NODE, ROOT / "bin" / "memcalib.js", "judge", rows, "--config", "memcalib.config.json", "--json")
    judged = shell(tmp_path, *judge)
    assert (judged["rollout"], judged["responses"]) == (rolled["digest"], 16)
    assert shell(tmp_path, *judge)["calls"] == 0, "typed again it asks nothing"
    state = shell(ROOT / "trainer", *train, "update", "--run", run, "--step", 1, "--judgments", judged["out"], "--json")
    assert state["step"] == 1
