"""rollout and update: idempotent, refusing, resumable, and independent of how the work is cut."""

import copy
import json
import shutil

import pytest
import torch
from minirun import make_config, make_session

from memcalib_train.errors import TrainerError
from memcalib_train.loop import checkpoint
from memcalib_train.loop.drive import by_rule, drive, judgments_file
from memcalib_train.loop.rollout import files_of, load_rollout, rollout
from memcalib_train.loop.session import Session
from memcalib_train.loop.update import update
from memcalib_train.minimem import judge_rollout


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A run with one rollout, judged; tests copy it."""
    folder = tmp_path_factory.mktemp("started")
    session = make_session(folder, rollout__max_new_tokens=40)  # enough token scores for a threshold to move
    rollout(session, 1)
    by_rule(judge_rollout)(files_of(session.run, 1)["rows"], judgments_file(session.run, 1))
    return session.config


@pytest.fixture
def run(started, tmp_path):
    """(session, judgments path) of a fresh copy of the started run."""
    target = tmp_path / "run"
    shutil.copytree(started.run.folder, target)
    from memcalib_train.loop.config import apply_settings

    session = Session(apply_settings(started, {"run.folder": str(target)}))
    return session, judgments_file(session.run, 1)


def entries_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_entries(path, entries):
    path.write_text("".join(json.dumps(e) + "\n" for e in entries))


def test_a_second_rollout_call_returns_the_first(run):
    session, _ = run
    before = {p: p.read_bytes() for p in (session.run / "rollouts").iterdir()}
    manifest = rollout(session, 1)
    assert manifest["digest"] == json.loads(files_of(session.run, 1)["manifest"].read_text())["digest"]
    assert before == {p: p.read_bytes() for p in (session.run / "rollouts").iterdir()}


def test_a_second_update_call_returns_the_first_and_refuses_other_judgments(run, tmp_path):
    session, judged = run
    first = update(session, 1, judged)
    assert update(session, 1, judged)["weights_digest"] == first["weights_digest"]
    other = tmp_path / "other.jsonl"
    other.write_text(judged.read_text() + "\n")
    with pytest.raises(TrainerError, match="trained on other judgments"):
        update(session, 1, other)


def test_the_same_rollout_is_made_again_from_nothing(run):
    session, _ = run
    digest = load_rollout(session, 1).digest
    shutil.rmtree(session.run / "rollouts")
    assert rollout(session, 1)["digest"] == digest


def test_an_update_trains(run):
    session, judged = run
    before = [p.clone() for p in session.policy.parameters()]
    state = update(session, 1, judged)
    assert any(not torch.equal(a, b) for a, b in zip(before, session.policy.parameters(), strict=True))
    assert state["thresholds"] != [0.02] * 9, "some threshold moved"
    assert state["metrics"]["counterfactual"]["pairs"] > 0


@pytest.mark.parametrize("name", ["tensors", "rows", "manifest"])
def test_one_flipped_byte_is_noticed(run, name):
    session, judged = run
    file = files_of(session.run, 1)[name]
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(TrainerError) as stop:
        update(session, 1, judged)
    assert stop.value.code in ("damaged_rollout", "other_renderer", "bad_judgments")
    assert checkpoint.latest(session.run) == 0


def change(entries, what):
    entries = copy.deepcopy(entries)
    if what == "missing":
        return entries[:-1]
    if what == "other rollout":
        entries[3]["rollout_digest"] = "sha256:" + "0" * 64
    if what == "twice":
        return [*entries, entries[0]]
    if what == "unknown response":
        return [*entries, entries[0] | {"response_id": "s0001-p999-g0"}]
    if what == "unknown level":
        entries[0]["levels"]["a1"] = "D"
    if what == "missing atom":
        del entries[0]["levels"]["a1"]
    if what == "invented atom":
        entries[0]["levels"]["a99"] = "A"
    if what == "other totals":
        entries[0]["over_use"] += 1
    return entries


@pytest.mark.parametrize(("what", "says"), [
    ("missing", "1 of 16 responses have no entry, first s0001-p003-g3"), ("other rollout", "line 4 judges another rollout"),
    ("twice", "repeats response"), ("unknown response", "p999-g0, which is not in the rollout"), ("unknown level", "unknown level a1='D'"),
    ("missing atom", "every atom of record"), ("invented atom", "every atom of record"), ("other totals", "but its levels give")])
def test_judgments_that_do_not_fit_are_refused(run, what, says):
    session, judged = run
    write_entries(judged, change(entries_of(judged), what))
    with pytest.raises(TrainerError, match="nothing was trained") as stop:
        update(session, 1, judged)
    assert says in str(stop.value) and stop.value.code == "bad_judgments"
    assert checkpoint.latest(session.run) == 0


def invalidate(judged, rows):
    entries = entries_of(judged)
    for row in rows:
        entries[row] = {"response_id": entries[row]["response_id"], "rollout_digest": entries[row]["rollout_digest"], "invalid": "J2"}
    write_entries(judged, entries)


def test_invalid_judgments_are_masked_and_logged(run):
    session, judged = run
    invalidate(judged, [2, 9])
    state = update(session, 1, judged)
    lengths = load_rollout(session, 1).length_B
    assert state["metrics"]["invalid"] == 2 and state["metrics"]["trained_responses"] == 14
    assert state["metrics"]["tokens"] == int(lengths.sum() - lengths[2] - lengths[9])


def test_too_many_invalid_judgments_pause_the_run(run):
    session, judged = run
    invalidate(judged, range(4))
    with pytest.raises(TrainerError, match="4 of 16 judgments .* the run pauses and they are kept"):
        update(session, 1, judged)
    assert judged.is_file() and checkpoint.latest(session.run) == 0


def test_all_invalid_makes_no_update(run):
    session, judged = run
    invalidate(judged, range(16))
    with pytest.raises(TrainerError, match="no update is made"):
        update(session, 1, judged)


def test_numbers_that_are_not_finite_abort_with_the_batch_dumped(run, monkeypatch):
    session, judged = run
    monkeypatch.setattr("memcalib_train.loop.optimise.clip", lambda parameters, limit: float("nan"))
    with pytest.raises(TrainerError, match=r"step 1 of .* was aborted and changed nothing") as stop:
        update(session, 1, judged)
    assert stop.value.code == "step_aborted" and (session.run / "aborted" / "step-0001.safetensors").is_file()
    monkeypatch.undo()
    retried = update(session, 1, judged)["weights_digest"]
    shutil.rmtree(session.run / "checkpoints")
    fresh = Session(session.config)
    assert update(fresh, 1, judged)["weights_digest"] == retried, "an aborted step leaves no trace in the weights"


def test_a_step_without_a_valid_token_aborts(run):
    session, judged = run
    from memcalib_train.loop.config import apply_settings

    masked = Session(apply_settings(session.config, {"run.folder": str(session.run.parent / "masked"), "optim.mask_truncated": "true",
                                                     "rollout.max_new_tokens": 1, "run.max_invalid_share": 1}))
    rollout(masked, 1)
    by_rule(judge_rollout)(files_of(masked.run, 1)["rows"], judgments_file(masked.run, 1))
    with pytest.raises(TrainerError) as stop:
        update(masked, 1, judgments_file(masked.run, 1))
    assert stop.value.code in ("step_aborted", "all_invalid")


def test_a_nan_log_probability_writes_no_rollout(tmp_path):
    session = make_session(tmp_path)
    with torch.no_grad():
        session.policy.causal.get_decoder().norm.weight[0] = float("nan")
    with pytest.raises(TrainerError) as stop:
        rollout(session, 1)
    assert stop.value.code == "non_finite" and not files_of(session.run, 1)["manifest"].exists()


def test_a_full_disk_in_mid_checkpoint_loses_nothing(run):
    """A real limit on file size: the kernel refuses the write."""
    import resource
    import signal

    session, judged = run
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, old[1]))
    try:
        with pytest.raises(TrainerError, match="no room on the disk") as stop:
            update(session, 1, judged)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert stop.value.code == "disk_full"
    assert checkpoint.latest(session.run) == 0 and not list((session.run / "checkpoints").glob(".*"))
    again = update(session, 1, judged)["weights_digest"]
    shutil.rmtree(session.run / "checkpoints")
    assert update(Session(session.config), 1, judged)["weights_digest"] == again


def test_a_checkpoint_of_another_config_shows_the_difference(run):
    session, judged = run
    from memcalib_train.loop.config import apply_settings

    with pytest.raises(TrainerError, match=r"optim.lr: 0.001 there, 0.5 now"):
        Session(apply_settings(session.config, {"optim.lr": 0.5}))
    with pytest.raises(TrainerError, match=r"run.threads: 1 there, 2 now"):
        Session(apply_settings(session.config, {"run.threads": 2}))
    with pytest.raises(TrainerError, match=r"rollout.batch_rows: 16 there, 8 now"):
        Session(apply_settings(session.config, {"rollout.batch_rows": 8}))
    Session(apply_settings(session.config, {"run.steps": 9}))


def test_a_damaged_checkpoint_is_refused(run):
    session, judged = run
    update(session, 1, judged)
    file = checkpoint.folder_of(session.run, 1) / "weights.safetensors"
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(TrainerError, match="is damaged"):
        rollout(Session(session.config), 2)


@pytest.mark.parametrize("method", ["memcalib-rl", "memcalib-rl-sentence", "grpo"])
def test_resume_anywhere_is_bitwise_equal(tmp_path, method):
    judge = by_rule(judge_rollout)
    straight = drive(make_session(tmp_path, "straight", method=method), judge, 3)
    drive(make_session(tmp_path, "cut", method=method), judge, 1)
    torch.manual_seed(99)
    resumed = drive(make_session(tmp_path, "cut", method=method), judge, 3)
    assert resumed["weights_digest"] == straight["weights_digest"]
    assert resumed["thresholds"] == straight["thresholds"]


def test_lora_runs_resume_bitwise_and_leave_the_base_alone(tmp_path):
    judge = by_rule(judge_rollout)
    straight = drive(make_session(tmp_path, "straight", model__lora_rank=4), judge, 2)
    drive(make_session(tmp_path, "cut", model__lora_rank=4), judge, 1)
    session = make_session(tmp_path, "cut", model__lora_rank=4)
    assert drive(session, judge, 2)["weights_digest"] == straight["weights_digest"]
    assert all("lora" in name for name, p in session.policy.named_parameters() if p.requires_grad)


@pytest.mark.parametrize("method", ["opsd-pg", "opsd-gkd"])
def test_opsd_needs_no_judge_and_resumes(tmp_path, method):
    straight = drive(make_session(tmp_path, "straight", method=method), None, 2)
    drive(make_session(tmp_path, "cut", method=method), None, 1)
    assert drive(make_session(tmp_path, "cut", method=method), None, 2)["weights_digest"] == straight["weights_digest"]


def test_prompts_are_a_function_of_seed_and_step(tmp_path):
    a, b = make_session(tmp_path, "a"), make_session(tmp_path, "b")
    assert [r.id for r in a.step_records(3)] == [r.id for r in b.step_records(3)]
    epoch = [r.id for step in range(1, 7) for r in a.step_records(step)]
    assert sorted(epoch) == sorted(a.prompts), "one epoch sees every prompt once"
    assert [r.id for step in range(7, 13) for r in a.step_records(step)] != epoch


def test_a_tail_of_prompts_is_refused_or_dropped(tmp_path):
    with pytest.raises(TrainerError, match=r"26 records do not fill steps of 4 prompts \(2 are left over\)"):
        make_session(tmp_path, records=26)
    assert make_session(tmp_path, "dropped", data__tail="drop").steps_per_epoch() == 6


@pytest.mark.parametrize(("setting", "says"), [
    ({"rollout__temperature": 0.7}, "temperature 1"), ({"rollout__top_p": 0.9}, "top_p 1"), ({"optim__mini_batch": 6}, "would split a group"),
    ({"optim__mini_batch": 12}, "are no multiple"), ({"data__prompt_limit": 10}, "prompts exceed 10 tokens")])
def test_settings_that_cannot_work_are_refused(tmp_path, setting, says):
    with pytest.raises(TrainerError, match=says):
        Session(make_config(tmp_path, **setting))


def test_metrics_follow_their_schema(tmp_path):
    import jsonschema

    from memcalib_train.loop.metrics import SCHEMA

    schema = json.loads(SCHEMA.read_text())
    for method in ("memcalib-rl", "gdpo", "opsd-pg"):
        session = make_session(tmp_path, method, method=method)
        drive(session, by_rule(judge_rollout), 2)
        lines = [json.loads(line) for line in (session.run / "metrics.jsonl").read_text().splitlines()]
        assert [line["step"] for line in lines] == [1, 2]
        for line in lines:
            jsonschema.validate(line, schema)
