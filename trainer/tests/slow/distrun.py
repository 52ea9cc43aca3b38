"""One process of several: distrun.py FOLDER NAME. Runs two steps, then the gradient of the third step's first mini-batch."""

import sys

import minirun
import torch
from safetensors.torch import save_file

from memcalib_train.loop.drive import by_rule, drive, judgments_file
from memcalib_train.loop.judgments import load_judgments
from memcalib_train.loop.optimise import accumulate, mini_batches
from memcalib_train.loop.parallel import loss_scale, sum_gradients, trainable, uses_fsdp, whole
from memcalib_train.loop.rollout import files_of, load_rollout, rollout
from memcalib_train.loop.session import Session
from memcalib_train.loop.update import assign, policy_targets, thresholds_before
from memcalib_train.minimem import judge_rollout


def main():
    folder, name = sys.argv[1:3]
    session = Session(minirun.make_config(folder, name, model__token_budget=400))
    drive(session, by_rule(judge_rollout), 2)
    rollout(session, 3)
    judged = judgments_file(session.run, 3)
    if session.world.first:
        by_rule(judge_rollout)(files_of(session.run, 3)["rows"], judged)
    session.world.barrier()
    found = load_rollout(session, 3)
    verdicts = load_judgments(judged, found.digest, found.response_ids, found.records, [False] * len(found.records))
    credit = assign(session, found, verdicts, thresholds_before(session, 3), 3).credit
    rows = mini_batches(len(found.completions), 4, 8, (42, 3))[0]
    accumulate(session, found, policy_targets(session, found, credit, verdicts.valid_B), rows)
    sum_gradients([p for _, p in trainable(session.policy)], session.world)
    gradients = {n: whole(p.grad) for n, p in trainable(session.policy)}
    if session.world.first:
        save_file(gradients | {"A_hat": credit.A_hat_BT}, f"{folder}/{name}.safetensors")
        print(f"processes {session.world.size} fsdp {uses_fsdp()} scale {loss_scale(session.world)}")
    session.at(2)  # a reload from the checkpoint must work in the same layout
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
