"""memcalib-train: sft | rl | opsd | rollout | update | export | inspect | plan | worker. Every entry point runs without Temporal.

Exit codes: 0 done, 1 refused or failed (one sentence on stderr), 2 wrong usage, 130 interrupted (finished steps are kept).
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import TrainerError


def main(arguments: list[str] | None = None) -> int:
    """Parses, runs, and turns errors into one sentence."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    given = _parser().parse_args(arguments)
    try:
        result: int = given.run(given)
        return result
    except TrainerError as problem:
        print(f"memcalib-train: {problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print("memcalib-train: interrupted; finished steps are kept, run the same command to go on.", file=sys.stderr)
        return 130
    except FileNotFoundError as problem:
        print(f"memcalib-train: {problem.filename} does not exist: check the path and run the same command again.", file=sys.stderr)
    except ImportError as problem:
        print(f"memcalib-train: {problem.name or problem} is not installed: run `python3 trainer/setup_venv.py` (CPU) or `pip install -r "
              "trainer/requirements-gpu.txt` (GPU).", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memcalib-train", description="SFT, GRPO, GDPO, OPSD and MemCalib-RL (docs/training.md).")
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name: str, run: Callable[[Any], int], text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        command.add_argument("--json", action="store_true", help="print the result as JSON")
        return command

    def configurable(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
        command.add_argument("--config", type=Path, help="JSON file with settings")
        command.add_argument("--set", action="append", default=[], metavar="a.b=c", help="one setting, e.g. optim.lr=1e-6")
        return command

    configurable(add("sft", run_sft_command, "SFT or cold-start with TRL; writes a merged model folder"))
    for name, text in (("rl", "GRPO, GDPO or MemCalib-RL: all steps, resumable"), ("opsd", "OPSD-PG or OPSD-GKD: all steps, no judge")):
        command = configurable(add(name, run_all_command, text))
        command.add_argument("--judge-command", help='program that judges, e.g. "memcalib judge {rollout} --out {out}"')
        command.add_argument("--until", type=int, default=0, help="stop after this step")
    rollout = configurable(add("rollout", rollout_command, "one rollout step"))
    update = configurable(add("update", update_command, "one update step"))
    for command in (rollout, update):
        command.add_argument("--run", dest="folder", help="run folder whose config.json is used")
        command.add_argument("--step", type=int, required=True)
    update.add_argument("--judgments", type=Path, help="judgments-r.jsonl (not for OPSD)")
    export = add("export", export_command, "writes the trained model (LoRA merged once, in fp32) as a model folder")
    export.add_argument("--run", dest="folder", required=True)
    export.add_argument("--step", type=int, default=0, help="default: the newest")
    export.add_argument("--out", type=Path, required=True)
    inspect = add("inspect", inspect_command, "what a run folder holds")
    inspect.add_argument("--run", dest="folder", required=True)
    plan = configurable(add("plan", plan_command, "memory and time of a run before it starts"))
    plan.add_argument("--cards", type=int, default=1)
    plan.add_argument("--card-gb", type=float, default=141.0)
    plan.add_argument("--parameters", type=float, help="parameters in billions, when model.path is not at hand")
    worker = add("worker", worker_command, "Temporal worker on the queue memcalib-gpu")
    worker.add_argument("--address", default=os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"))
    worker.add_argument("--namespace", default=os.environ.get("TEMPORAL_NAMESPACE", "default"))
    return parser


def settings(given: Any) -> dict[str, str]:
    """--set a.b=c as a dict."""
    out = {}
    for text in given.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise TrainerError("bad_config", f"--set {text} has no value: write --set {text}=VALUE.")
        out[name] = value
    return out


def run_config(given: Any) -> Any:
    """The run's config: of --run, or defaults + --config + --set."""
    from .loop.config import RunConfig, apply_settings, from_dict, load_config

    folder = getattr(given, "folder", None)
    if folder:
        file = Path(folder) / "config.json"
        if not file.is_file():
            raise TrainerError("no_run", f"{folder} is no run folder (no config.json): start one with `memcalib-train rl --set run.folder={folder}`.")
        config = from_dict(RunConfig, json.loads(file.read_text()))
        return apply_settings(config, settings(given) if hasattr(given, "set") else {})
    config = load_config(RunConfig, given.config, settings(given))
    if given.command == "opsd" and not config.distils:
        config = apply_settings(config, {"method": "opsd-pg"})
    return config


def make_session(config: Any) -> Any:
    """A session with a progress bar on stderr."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    from .loop.session import Session
    from .progress import Bar

    return Session(config, Bar())


def run_sft_command(given: Any) -> int:
    from .loop.config import load_config
    from .sft import SftConfig, run_sft

    report = run_sft(load_config(SftConfig, given.config, settings(given)))
    if report:
        shown = {k: v for k, v in report.items() if k != "losses"}
        print(json.dumps(shown) if given.json else f"{report['steps']} steps on {report['rows']} rows, loss {report['first_loss']:.3f} -> "
              f"{report['last_loss']:.3f}; model in {report['config']['out']} ({report['weights'][:19]}...)")
    return 0


def run_all_command(given: Any) -> int:
    from .loop.drive import by_command, drive

    session = make_session(run_config(given))
    state = drive(session, by_command(given.judge_command) if given.judge_command else None, given.until)
    if session.world.first:
        use = state["metrics"].get("use", {})
        text = ", ".join(f"{k} {v:.1f}" for k, v in use.items())
        print(json.dumps(state) if given.json else f"step {state['step']} done ({state['weights_digest'][:19]}...) {text}")
    return 0


def rollout_command(given: Any) -> int:
    from .loop.rollout import describe, files_of, rollout

    session = make_session(run_config(given))
    manifest = rollout(session, given.step)
    if session.world.first:
        rows = files_of(session.run, given.step)["rows"]
        print(json.dumps(manifest) if given.json else f"{describe(manifest)}; judge {rows} with `memcalib judge {rows}`")
    return 0


def update_command(given: Any) -> int:
    from .loop.update import update

    session = make_session(run_config(given))
    state = update(session, given.step, given.judgments)
    if session.world.first:
        print(json.dumps(state) if given.json else f"step {state['step']} committed ({state['weights_digest'][:19]}...)")
    return 0


def export_command(given: Any) -> int:
    from .export import export

    report = export(Path(given.folder), given.step, given.out)
    print(json.dumps(report) if given.json else f"step {report['step']} exported to {given.out} ({report['weights'][:19]}...)")
    return 0


def inspect_command(given: Any) -> int:
    from .export import inspect, show

    found = inspect(Path(given.folder))
    print(json.dumps(found) if given.json else show(found))
    return 0


def plan_command(given: Any) -> int:
    from .plan import make_plan, show

    plan = make_plan(run_config(given), given.cards, given.card_gb, given.parameters)
    print(json.dumps(plan) if given.json else show(plan))
    return 1 if plan["refusals"] else 0


def worker_command(given: Any) -> int:
    import asyncio

    from .worker import run_worker

    asyncio.run(run_worker(given.address, given.namespace))
    return 0


if __name__ == "__main__":
    sys.exit(main())
