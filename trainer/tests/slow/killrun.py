"""A run that kills itself: killrun.py FOLDER STEPS [POINT STEP]. POINT: generate, between, update, checkpoint, renamed."""

import os
import signal
import sys

import minirun

from memcalib_train.loop import checkpoint, drive
from memcalib_train.loop.session import Session
from memcalib_train.minimem import judge_rollout


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def main():
    folder, steps = sys.argv[1], int(sys.argv[2])
    point, at = (sys.argv[3], int(sys.argv[4])) if len(sys.argv) > 3 else ("", 0)
    config = minirun.make_config(folder, "killed")
    session = Session(config)

    def report(phase, done, total):
        if phase == point and session.step in (at - 1, -1) and checkpoint.latest(session.run) == at - 1:
            die()

    session.report = report
    write_json, inner_update = checkpoint.write_json, drive.update

    def dying_write(path, value):
        if point == "checkpoint" and value["step"] == at:
            die()  # weights and moments are written, the state is not, nothing is renamed
        write_json(path, value)

    def dying_update(session, step, judgments):
        if point == "between" and step == at:
            die()
        state = inner_update(session, step, judgments)
        if point == "renamed" and step == at:
            die()
        return state

    checkpoint.write_json, drive.update = dying_write, dying_update
    print(drive.drive(session, drive.by_rule(judge_rollout), steps)["weights_digest"])


if __name__ == "__main__":
    main()
