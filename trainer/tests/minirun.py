"""Small runs on MiniMem for the tests: a base model folder, data, a config, a session."""

import json
from functools import cache
from pathlib import Path

from memcalib_train.loop.config import RunConfig, apply_settings
from memcalib_train.loop.session import Session
from memcalib_train.minimem import TEACHER, TEMPLATE, make_model, save_model, write_records

ASSETS = Path(__file__).parent / "assets"
SMALL = {"rollout.prompts": 4, "rollout.samples": 4, "rollout.max_new_tokens": 24, "rollout.batch_rows": 16, "optim.mini_batch": 8,
         "optim.lr": 1e-3, "run.max_invalid_share": 0.2, "model.token_budget": 1024, "model.device": "cpu"}


def write_templates(folder):
    (folder / "template.json").write_text(json.dumps(TEMPLATE.__dict__))
    (folder / "teacher.json").write_text(json.dumps(TEACHER.__dict__))


@cache
def base_model(folder):
    """An untrained MiniMem model, saved once per folder."""
    target = Path(folder) / "base"
    save_model(target, make_model(seed=1))
    return target


def make_config(folder, name="run", records=24, base=None, **settings):
    """A RunConfig whose files lie in `folder`; keyword a__b sets a.b."""
    folder = Path(folder)
    if not (folder / "rl.jsonl").exists():
        write_records(folder / "rl.jsonl", records, 5)
        write_templates(folder)
    files = {"model.path": str(base or base_model(str(folder))), "data.records": str(folder / "rl.jsonl"),
             "data.template": str(folder / "template.json"), "data.teacher_template": str(folder / "teacher.json"),
             "run.folder": str(folder / name)}
    return apply_settings(RunConfig(), files | SMALL | {k.replace("__", "."): v for k, v in settings.items()})


def make_session(folder, name="run", **settings):
    return Session(make_config(folder, name, **settings))


def learning_config(folder, method, variant="independent", **settings):
    """The learning tests' run: P16 G8, two mini-batches, lr 3e-4, from the shipped cold-start."""
    shape = {"rollout__prompts": 16, "rollout__samples": 8, "rollout__max_new_tokens": 60, "rollout__batch_rows": 128,
             "optim__mini_batch": 64, "optim__lr": 3e-4, "model__token_budget": 16_384, "run__max_invalid_share": 0.3, "run__steps": 40}
    return make_config(folder, method, 640, ASSETS / variant, method=method, **(shape | settings))
