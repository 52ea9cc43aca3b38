"""The command line: one sentence for every mistake, a whole run, export, inspect, plan."""

import json
import sys

import pytest
from minirun import SMALL, base_model, make_config, write_templates

from memcalib_train.cli import main
from memcalib_train.loop.config import RunConfig, apply_settings, flatten, from_dict
from memcalib_train.minimem import Demonstrations, demonstrations, make_tokenizer, write_records
from memcalib_train.plan import make_plan

#: A judge program that starts at once (no torch): a response uses its first memories, as many as its length says.
JUDGE = """
import json, sys
with open(sys.argv[2], "w") as out:
    for line in map(json.loads, open(sys.argv[1])):
        used = len(line["model_response"].split()) % 7
        levels = {a["atom_id"]: "C" if n < used else "A" for n, a in enumerate(line["atomic_rubrics"])}
        gaps = ["ABC".index(levels[a["atom_id"]]) - "ABC".index(a["u_star"]) for a in line["atomic_rubrics"]]
        entry = {"response_id": line["response_id"], "rollout_digest": line["rollout_digest"], "levels": levels,
                 "over_use": sum(max(g, 0) for g in gaps), "under_use": sum(max(-g, 0) for g in gaps)}
        out.write(json.dumps(entry) + chr(10))
"""


def arguments(tmp_path, **settings):
    if not (tmp_path / "rl.jsonl").exists():
        write_records(tmp_path / "rl.jsonl", 8, 5)
        write_templates(tmp_path)
    values = SMALL | {"model.path": base_model(str(tmp_path)), "data.records": tmp_path / "rl.jsonl", "data.template":
                      tmp_path / "template.json", "data.teacher_template": tmp_path / "teacher.json", "run.folder": tmp_path / "run"}
    return [part for name, value in (values | settings).items() for part in ("--set", f"{name}={value}")]


def test_a_run_from_the_shell(tmp_path, capsys):
    judge = tmp_path / "judge.py"
    judge.write_text(JUDGE)
    assert main(["rl", *arguments(tmp_path, method="gdpo"), "--judge-command", f"{sys.executable} {judge} {{rollout}} {{out}}"]) == 0
    assert "step 2 done" in capsys.readouterr().out
    saved = json.loads((tmp_path / "run" / "config.json").read_text())
    assert saved["method"] == "gdpo" and saved["optim"]["clip"] == 0.2, "the config is written in full"
    assert main(["inspect", "--run", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] == 2 and found["waiting"] == []
    assert main(["export", "--run", str(tmp_path / "run"), "--out", str(tmp_path / "model")]) == 0
    report = json.loads((tmp_path / "model" / "export.json").read_text())
    assert report["step"] == 2 and report["weights"].startswith("sha256:")
    from transformers import AutoModelForCausalLM, AutoTokenizer
    AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    assert AutoTokenizer.from_pretrained(tmp_path / "model").chat_template == make_tokenizer().chat_template


def test_single_steps_from_the_shell(tmp_path, capsys):
    assert main(["opsd", *arguments(tmp_path, **{"run.steps": 1, "method": "opsd-gkd"})]) == 0
    assert main(["rollout", "--run", str(tmp_path / "run"), "--step", "2"]) == 0
    assert main(["inspect", "--run", str(tmp_path / "run")]) == 0
    assert "step 2 is rolled out" in capsys.readouterr().out
    assert main(["update", "--run", str(tmp_path / "run"), "--step", "2"]) == 0
    assert "step 2 committed" in capsys.readouterr().out


@pytest.mark.parametrize(("command", "says"), [
    (["rl"], "not a model folder: give one with --set model.path=FOLDER"),
    (["rl", "--set", "nothing.here=1"], "--set nothing.here names no setting"),
    (["rl", "--set", "optim.lr=fast"], "--set optim.lr=fast is not a float"),
    (["rl", "--set", "method=ppo"], "choose one of grpo, gdpo, memcalib-rl"),
    (["rl", "--set", "optim.lr"], "write --set optim.lr=VALUE"),
    (["rl", "--config", "nowhere.json"], "nowhere.json does not exist"),
    (["inspect", "--run", "nowhere"], "nowhere is no run folder"),
    (["update", "--run", "nowhere", "--step", "1"], "start one with `memcalib-train rl"),
    (["sft"], "no output folder")])
def test_mistakes_are_one_sentence(command, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if command == ["rl"]:
        command = ["rl", "--set", f"run.folder={tmp_path}/run"]
    assert main(command) == 1
    shown = capsys.readouterr().err
    assert says in shown and "Traceback" not in shown and len(shown.strip().splitlines()) == 1


@pytest.mark.learn  # loads TRL, a dozen seconds of CPU: beside the other test that trains by SFT
def test_sft_from_the_shell(tmp_path, capsys):
    rows = demonstrations(64, 3, Demonstrations())
    (tmp_path / "sft.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    write_templates(tmp_path)
    given = ["sft", "--set", f"model.path={base_model(str(tmp_path))}", "--set", f"data={tmp_path}/sft.jsonl", "--set",
             f"template={tmp_path}/template.json", "--set", f"out={tmp_path}/model", "--set", "model.lora_rank=4", "--set",
             "model.device=cpu", "--set", "steps=20", "--set", "lr=0.01", "--set", "batch=8", "--set", "device_batch=8"]
    assert main([*given, "--json"]) == 0
    report = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert report["steps"] == 20 and report["last_loss"] < report["first_loss"]
    assert not any("lora" in p.name for p in (tmp_path / "model").iterdir()), "the adapter is merged"
    assert main([*given, "--json"]) == 0, "a finished folder is returned as it is"
    capsys.readouterr()
    assert main([*given, "--set", "lr=0.02"]) == 1
    assert "another config" in capsys.readouterr().err


def test_an_sft_row_with_nothing_to_train_on_is_an_error(tmp_path, capsys):
    row = demonstrations(1, 3, Demonstrations())[0] | {"answer": ""}
    (tmp_path / "sft.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["sft", "--set", f"model.path={base_model(str(tmp_path))}", "--set", f"data={tmp_path}/sft.jsonl", "--set",
                 f"out={tmp_path}/model"]) == 1
    assert "has an empty answer" in capsys.readouterr().err


def test_sft_rows_train_on_the_answer_and_its_end_only():
    from memcalib_train.minimem import TEACHER, TEMPLATE
    from memcalib_train.sft import tokenise
    from memcalib_train.text.render import Renderer

    renderer = Renderer(make_tokenizer(), TEMPLATE, TEACHER)
    row = demonstrations(1, 3, Demonstrations())[0]
    found = tokenise([row], renderer)[0]
    trained = [i for i, on in zip(found["input_ids"], found["completion_mask"], strict=True) if on]
    assert renderer.tokenizer.decode(trained) == row["answer"] + " <eos>"
    assert found["completion_mask"] == sorted(found["completion_mask"])


def test_plan_refuses_full_fine_tuning_of_8b_on_one_card(tmp_path, capsys):
    assert main(["plan", "--parameters", "8.2", "--cards", "1", "--card-gb", "141"]) == 1
    shown = capsys.readouterr().out
    assert "full fine-tuning of 8B needs 131 GB before activations on one 141 GB card: use LoRA" in shown and "or 2 cards" in shown
    assert "64000 judgments" in shown
    assert main(["plan", "--parameters", "8.2", "--cards", "8", "--set", "model.gradient_checkpointing=true"]) == 0


def test_plan_reads_the_model_at_hand(tmp_path):
    plan = make_plan(make_config(tmp_path), 1, 24, None)
    assert plan["parameters_billion"] == 0.0 and plan["refusals"] == []


def test_a_config_survives_its_own_file():
    config = apply_settings(RunConfig(), {"optim.lr": "5e-6", "model.lora_rank": "64", "model.gradient_checkpointing": "true"})
    import dataclasses
    assert from_dict(RunConfig, json.loads(json.dumps(dataclasses.asdict(config)))) == config
    assert flatten(config)["optim.lr"] == 5e-6


def test_defaults_are_the_papers():
    flat = flatten(RunConfig())
    wanted = {"rollout.prompts": 64, "rollout.samples": 8, "optim.mini_batch": 256, "optim.lr": 1e-6, "optim.clip": 0.2, "optim.kl_beta": 0.01,
              "credit.eta": 0.75, "credit.cap": 4.0, "credit.d_max": 3.0, "data.prompt_limit": 4096, "data.teacher_limit": 16384,
              "rollout.max_new_tokens": 2048, "optim.top_k": 64, "credit.score_scope": "all"}
    assert {k: flat[k] for k in wanted} == wanted
