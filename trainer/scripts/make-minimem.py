"""Trains the two cold-start models of the learning tests and writes them to tests/assets (about two minutes each on one core).

    trainer/.venv/bin/python trainer/scripts/make-minimem.py [independent|correlated] [STEPS]
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import torch

from memcalib_train.minimem import Demonstrations, demonstrations, make_model, save_model
from memcalib_train.model.load import ModelConfig
from memcalib_train.sft import SftConfig, run_sft

ASSETS = Path(__file__).resolve().parents[1] / "tests" / "assets"


def main() -> None:
    torch.set_num_threads(1)
    names = [sys.argv[1]] if len(sys.argv) > 1 else ["independent", "correlated"]
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2500
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            save_model(work / "base", make_model(seed=1))
            style = Demonstrations(correlated=name == "correlated")
            rows = demonstrations(32 * steps, 7, style)
            (work / "sft.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            (work / "template.json").write_text(json.dumps({"system": "", "memory_heading": "", "block_line": "M{n} {text}",
                                                            "query_heading": "QRY"}))
            started = time.time()
            report = run_sft(SftConfig(model=ModelConfig(path=str(work / "base"), device="cpu"), data=str(work / "sft.jsonl"),
                                       template=str(work / "template.json"), out=str(ASSETS / name), steps=steps, device_batch=32,
                                       lr=3e-3, warmup_share=0.05))
            (ASSETS / name / "sft.json").unlink()
            print(name, f"{time.time() - started:.0f} s", "loss", report["first_loss"], "->", report["last_loss"])


if __name__ == "__main__":
    main()
