"""Two gloo processes, replicated and under FSDP2, give the gradients and files of one process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent


def launch(folder, name, processes, fsdp):
    paths = os.pathsep.join([str(HERE.parent), str(HERE.parents[1])])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_FSDP": str(fsdp).lower(),
                                "ACCELERATE_USE_CPU": "true"}
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", str(processes), "--master_port", "0",
               "--rdzv_backend", "c10d", "--rdzv_endpoint", "127.0.0.1:0"] if processes > 1 else [sys.executable]
    done = subprocess.run([*command, str(HERE / "distrun.py"), str(folder), name], capture_output=True, text=True, env=environment,
                          check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_two_processes_give_the_gradients_of_one(tmp_path):
    from minirun import make_config

    make_config(tmp_path)
    assert "processes 1 fsdp False" in launch(tmp_path, "one", 1, False)
    one = load_file(tmp_path / "one.safetensors")
    for name, fsdp in (("replicated", False), ("fsdp", True)):
        assert f"processes 2 fsdp {fsdp}" in launch(tmp_path, name, 2, fsdp)
        two = load_file(tmp_path / f"{name}.safetensors")
        assert two.keys() == one.keys()
        scale = max(float(t.abs().max()) for n, t in one.items() if n != "A_hat")
        worst = max(float((one[n] - two[n]).abs().max()) for n in one if n != "A_hat") / scale
        print(f"{name}: gradients differ by {worst:.1e} of the largest")
        assert worst < 1e-4, name
        rows = [(tmp_path / run / "rollouts" / "rollout-0001.jsonl").read_text() for run in ("one", name)]
        strip = [[{k: v for k, v in json.loads(line).items() if k != "rollout_digest"} for line in text.splitlines()] for text in rows]
        assert strip[0] == strip[1], "the same responses, whatever the number of processes"
