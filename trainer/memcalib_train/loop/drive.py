"""The whole loop in one process: rollout, judge, update, until the last step. Each part may be repeated, so this may be killed."""

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import TrainerError
from . import checkpoint
from .files import write_bytes
from .rollout import files_of, rollout
from .session import Session
from .update import update

#: Answers the lines of a rollout file with judgment entries.
RuleJudge = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
Judge = Callable[[Path, Path], None]


def judgments_file(run: Path, step: int) -> Path:
    """run/judgments/judgments-0007.jsonl."""
    return run / "judgments" / f"judgments-{step:04}.jsonl"


def by_rule(judge: RuleJudge) -> Judge:
    """A judge in Python (tests, toys): reads the lines, writes the entries in one piece."""
    def run(rows: Path, out: Path) -> None:
        lines = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
        write_bytes(out, "".join(json.dumps(entry) + "\n" for entry in judge(lines)).encode())
    return run


def by_command(command: str) -> Judge:
    """A judge program: {rollout} and {out} are replaced; it must write {out} and exit 0."""
    def run(rows: Path, out: Path) -> None:
        out.parent.mkdir(parents=True, exist_ok=True)
        parts = [part.replace("{rollout}", str(rows)).replace("{out}", str(out)) for part in shlex.split(command)]
        done = subprocess.run(parts, check=False)
        if done.returncode or not out.is_file():
            raise TrainerError("judge_failed", f"the judge `{command}` ended with {done.returncode} and {'no' if not out.is_file() else 'a'} file "
                               f"{out}: look at its message, then run the same command again (finished work is kept).", retryable=True)
    return run


def drive(session: Session, judge: Judge | None, until: int = 0) -> dict[str, Any]:
    """Runs steps up to `until` (0 = the last); returns the last state. Judgments that exist are not asked for again."""
    last = until or session.total_steps()
    first = checkpoint.latest(session.run) + 1
    state: dict[str, Any] = {}
    for step in range(first, last + 1):
        rollout(session, step)
        verdicts = None
        if not session.config.distils:
            verdicts = judgments_file(session.run, step)
            if not verdicts.is_file():
                if judge is None:
                    raise TrainerError("no_judge", f"step {step} waits for {verdicts}: give --judge-command, or judge "
                                       f"{files_of(session.run, step)['rows']} and run the same command again.")
                if session.world.first:
                    judge(files_of(session.run, step)["rows"], verdicts)
                session.world.barrier()
        state = update(session, step, verdicts)
        session.report("step", step, last)
    found = checkpoint.read_state(session.run, last)
    if found is None:
        raise TrainerError("not_finished", f"{session.run} ended before step {last}: run the same command again.")
    return state or found.__dict__
