"""The Temporal activities in ActivityEnvironment: heartbeats with progress, cancellation between micro-batches, errors as failures."""

import asyncio
import dataclasses

import pytest
from minirun import make_config
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.testing import ActivityEnvironment

from memcalib_train.activities import GpuActivities
from memcalib_train.loop import checkpoint
from memcalib_train.loop.drive import by_rule, judgments_file
from memcalib_train.minimem import judge_rollout


@pytest.fixture
def request_one(tmp_path):
    return {"config": dataclasses.asdict(make_config(tmp_path)), "step": 1}


def run(activities, method, request, environment=None):
    environment = environment or ActivityEnvironment()
    beats = []
    environment.on_heartbeat = lambda *details: beats.append(details[0])
    return environment.run(getattr(activities, method), request), beats


def test_a_step_by_activities_keeps_the_model_and_beats(request_one, tmp_path):
    gpu = GpuActivities("memcalib-gpu-test", every=0.02)
    manifest, beats = run(gpu, "rollout", request_one)
    assert manifest["step"] == 1 and {b["phase"] for b in beats} >= {"load", "generate"}
    assert beats == sorted(beats, key=lambda b: b["seconds"])
    session = gpu._session
    judged = judgments_file(tmp_path / "run", 1)
    from pathlib import Path
    by_rule(judge_rollout)(Path(manifest["path"]), judged)
    state, beats = run(gpu, "update", request_one | {"judgments": str(judged)})
    assert gpu._session is session, "the model stays resident between the two steps"
    assert state["step"] == 1 and state["weights_digest"].startswith("sha256:") and beats
    assert ActivityEnvironment().run(gpu.status, request_one) == {"step": 1}
    again, _ = run(GpuActivities("another worker"), "update", request_one | {"judgments": str(judged)})
    assert again["weights_digest"] == state["weights_digest"], "a repeated update returns what was committed"


def test_the_claim_names_the_workers_own_queue():
    assert ActivityEnvironment().run(GpuActivities("memcalib-gpu-host-7").claim) == {"queue": "memcalib-gpu-host-7"}


def test_cancellation_is_noticed_between_micro_batches(request_one, tmp_path):
    gpu = GpuActivities("q")
    environment = ActivityEnvironment()
    environment.cancel()
    with pytest.raises((CancelledError, asyncio.CancelledError)):
        environment.run(gpu.rollout, request_one)
    assert not list((tmp_path / "run" / "rollouts").glob("*")) and gpu._session is None
    manifest, _ = run(gpu, "rollout", request_one)
    assert manifest["step"] == 1, "the next attempt does the work"


def test_refusals_are_not_retried_and_keep_their_sentence(request_one):
    gpu = GpuActivities("q")
    run(gpu, "rollout", request_one)
    with pytest.raises(ApplicationError, match="this method needs judgments") as stop:
        run(gpu, "update", request_one)
    assert stop.value.type == "no_judgments" and stop.value.non_retryable
    assert checkpoint.latest(__import__("pathlib").Path(request_one["config"]["run"]["folder"])) == 0
