"""Trains the two cold-start models of the learning tests and writes them to tests/assets (some minutes each on one core).

    trainer/.venv/bin/python trainer/scripts/make-minimem.py [independent|correlated]

The independent one learns the environment from scratch; the correlated one goes on from it, with prompts that lack some memories:
without these the model looks memories up by position, and dropping one moves the others.
"""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import torch

from memcalib_train.minimem import TEMPLATE, Demonstrations, demonstrations, make_model, save_model
from memcalib_train.model.load import ModelConfig
from memcalib_train.sft import SftConfig, run_sft

ASSETS = Path(__file__).resolve().parents[1] / "tests" / "assets"
#: name: (the model it goes on from, style, steps, learning rate, seed)
RECIPES = {
    "independent": ("", Demonstrations(), 2500, 3e-3, 7),
    "correlated": ("independent", Demonstrations(correlated=True, dropped=0.6), 500, 1.5e-3, 8),
}


def train(base: Path, out: Path, style: Demonstrations, steps: int, lr: float, seed: int) -> None:
    """One recipe through sft.py."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        rows = demonstrations(32 * steps, seed, style)
        (work / "sft.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (work / "template.json").write_text(json.dumps(TEMPLATE.__dict__))
        started = time.time()
        report = run_sft(SftConfig(model=ModelConfig(path=str(base), device="cpu"), data=str(work / "sft.jsonl"), steps=steps,
                                   template=str(work / "template.json"), out=str(out), device_batch=32, lr=lr))
        print(out.name, f"{time.time() - started:.0f} s", "loss", report["first_loss"], "->", report["last_loss"], flush=True)
    (out / "sft.json").unlink()  # holds paths of this machine


def main() -> None:
    torch.set_num_threads(1)
    for name in sys.argv[1:2] or list(RECIPES):
        base_name, *recipe = RECIPES[name]
        with tempfile.TemporaryDirectory() as folder:
            base, out = ASSETS / base_name, Path(folder) / name
            if not base_name:
                base = Path(folder) / "base"
                save_model(base, make_model(seed=1))
            train(base, out, *recipe)
            shutil.rmtree(ASSETS / name, ignore_errors=True)
            shutil.copytree(out, ASSETS / name)


if __name__ == "__main__":
    main()
