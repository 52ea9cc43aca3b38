"""Temporal activities on the queue memcalib-gpu: rollout and update of a step, with the model resident in between.

Names and payloads (JSON): `trainerClaim` -> {queue}: the worker's own queue, to which the rest of the run goes (its model stays loaded) ·
`trainerRollout` {config, step} -> manifest {digest, rows, ...} · `trainerUpdate` {config, step, judgments} -> {step, weights_digest} ·
`trainerStatus` {config} -> {step}. Payloads carry paths and digests, never tensors. Both steps are idempotent: Temporal may repeat them.
"""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError

from .errors import TrainerError
from .loop import checkpoint
from .loop.config import RunConfig, from_dict
from .loop.rollout import files_of, rollout
from .loop.session import Session
from .loop.update import update

HEARTBEAT_SECONDS = 10.0
QUEUE = "memcalib-gpu"


@dataclass
class Beat:
    """Heartbeats from a thread every ten seconds with the newest progress; `report` raises between micro-batches when cancelled."""

    every: float = HEARTBEAT_SECONDS
    progress: tuple[str, int, int] = ("load", 0, 0)

    def __call__(self, phase: str, done: int, total: int) -> None:
        self.progress = (phase, done, total)
        if activity.is_worker_shutdown():
            raise ApplicationError(f"the worker stops in {phase} at {done}/{total}; finished steps are kept", type="WorkerShutdown")
        if activity.is_cancelled():
            raise CancelledError(f"cancelled in {phase} at {done}/{total}; finished steps are kept")


class GpuActivities:
    """One worker's activities: at most one runs at a time, and the last run's session stays in memory."""

    def __init__(self, own_queue: str, every: float = HEARTBEAT_SECONDS) -> None:
        self.own_queue, self.every = own_queue, every
        self._lock = threading.Lock()
        self._session: Session | None = None

    def all(self) -> list[Any]:
        """The activities to register."""
        return [self.claim, self.rollout, self.update, self.status]

    @activity.defn(name="trainerClaim")
    def claim(self) -> dict[str, str]:
        """Tells a run which worker it got; a busy worker declines, so that another one answers the retry."""
        if self._lock.locked():
            raise ApplicationError(f"{self.own_queue} is busy", type="Busy")
        return {"queue": self.own_queue}

    @activity.defn(name="trainerStatus")
    def status(self, request: dict[str, Any]) -> dict[str, int]:
        """The newest committed step of a run, from its folder."""
        return {"step": checkpoint.latest(Path(request["config"]["run"]["folder"]))}

    @activity.defn(name="trainerRollout")
    def rollout(self, request: dict[str, Any]) -> dict[str, Any]:
        """Step one; returns the manifest and the path of the lines to judge."""
        def run(session: Session) -> dict[str, Any]:
            manifest = rollout(session, int(request["step"]))
            return manifest | {"path": str(files_of(session.run, int(request["step"]))["rows"])}
        return self._with_session(request, run)

    @activity.defn(name="trainerUpdate")
    def update(self, request: dict[str, Any]) -> dict[str, Any]:
        """Step two; returns step, digests and the metrics path."""
        def run(session: Session) -> dict[str, Any]:
            judgments = request.get("judgments")
            state = update(session, int(request["step"]), Path(judgments) if judgments else None)
            return {"step": state["step"], "weights_digest": state["weights_digest"], "rollout_digest": state["rollout_digest"],
                    "metrics": str(session.run / "metrics.jsonl")}
        return self._with_session(request, run)

    def _with_session(self, request: dict[str, Any], run: Any) -> dict[str, Any]:
        """Loads (or keeps) the session, beats, and maps errors to failures Temporal understands."""
        limit = activity.info().heartbeat_timeout
        beat = Beat(min(self.every, limit.total_seconds() / 3) if limit else self.every)
        stop = threading.Event()
        with self._lock:
            ticker = threading.Thread(target=_tick, args=(beat, stop, activity.heartbeat, time.monotonic()), daemon=True)
            _start_in_context(ticker)
            try:
                result: dict[str, Any] = run(self._load(request["config"], beat))
                return result
            except TrainerError as problem:
                self._session = None
                raise ApplicationError(str(problem), type=problem.code, non_retryable=not problem.retryable) from None
            except BaseException:
                self._session = None
                raise
            finally:
                stop.set()
                ticker.join()

    def _load(self, raw: dict[str, Any], beat: Beat) -> Session:
        config: RunConfig = from_dict(RunConfig, raw)
        if self._session is None or self._session.config != config:
            self._session = Session(config, beat)
        self._session.report = beat
        return self._session


def _tick(beat: Beat, stop: threading.Event, heartbeat: Any, started: float) -> None:
    while True:
        phase, done, total = beat.progress
        heartbeat({"phase": phase, "done": done, "total": total, "seconds": round(time.monotonic() - started)})
        if stop.wait(beat.every):
            return


def _start_in_context(thread: threading.Thread) -> None:
    """Starts a thread that sees this activity's context (heartbeat needs it)."""
    import contextvars

    context = contextvars.copy_context()
    original = thread.run
    thread.run = lambda: context.run(original)  # type: ignore[method-assign]
    thread.start()
