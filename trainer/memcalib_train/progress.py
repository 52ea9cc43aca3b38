"""Progress on stderr: one bar that is redrawn on a terminal, a plain line every ten seconds elsewhere."""

import sys
import time


class Bar:
    """report(phase, done, total)."""

    def __init__(self) -> None:
        self.last = 0.0
        self.terminal = sys.stderr.isatty()

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self.terminal:
            if now - self.last < 0.1 and done < total:
                return
            filled = int(30 * done / max(total, 1))
            end = "\n" if phase == "step" else ""
            sys.stderr.write(f"\r{phase:>16} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}   {end}")
            sys.stderr.flush()
        elif phase == "step" or now - self.last >= 10:
            print(f"{phase} {done}/{total}", file=sys.stderr, flush=True)
        else:
            return
        self.last = now
