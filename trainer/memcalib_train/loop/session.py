"""A run with its model in memory: what rollout and update share. The folder is the truth; the session only saves reloading."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers

from ..errors import TrainerError
from ..model.generate import Generator, HuggingFaceGenerator
from ..model.load import end_ids, folder_digest, load_frozen, load_policy, load_tokenizer
from ..model.policy import Policy
from ..model.scorer import Scorer
from ..model.seeds import permutation
from ..model.world import World
from ..text.records import Record, load_records
from ..text.render import Renderer, check_lengths, load_teacher_template, load_template
from ..text.sentences import Splitter, rule_cuts, spacy_cuts
from . import checkpoint
from .config import RunConfig, check, digest_of, identity, refuse_other
from .files import write_json
from .parallel import shard, start_processes, trainable, uses_fsdp

#: Called between micro-batches as progress(phase, done, total): heartbeats, progress bars, cancellation by raising.
Report = Callable[[str, int, int], None]


def quiet(phase: str, done: int, total: int) -> None:
    """No report."""


class Session:
    """Loads a run's data, renderer, policy, reference and optimizer once. `at(step)` puts the state after `step` updates into them."""

    def __init__(self, config: RunConfig, report: Report = quiet, generator: Generator | None = None) -> None:
        check(config)
        if not config.run.folder:
            raise TrainerError("bad_config", "no run folder: give one with --set run.folder=FOLDER.")
        start_processes()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(config.run.threads)
        self.config, self.report, self.run = config, report, Path(config.run.folder)
        self.world = World()
        self.tokenizer = load_tokenizer(config.model.path)
        self.renderer = Renderer(self.tokenizer, load_template(_path(config.data.template)),
                                 load_teacher_template(_path(config.data.teacher_template)))
        self.records = load_records(Path(config.data.records))
        self.prompts = self._check_prompts()
        self.splitter: Splitter = rule_cuts if config.data.sentences == "rules" else spacy_cuts(config.data.spacy_model or None)
        self.identity = identity(config, self._facts())
        self._claim()
        self._given_generator = generator
        self.step = -1
        self._frozen = self._load_frozen()
        self._load_base()

    def _facts(self) -> dict[str, Any]:
        data = [(r.id, r.question, [asdict(b) for b in r.blocks], [asdict(a) for a in r.atoms.values()]) for r in self.records]
        return {"base_weights": folder_digest(self.config.model.path), "data": digest_of(data), "renderer": self.renderer.digest,
                "torch": torch.__version__.split("+")[0], "transformers": transformers.__version__, "processes": self.world.size,
                "fsdp": uses_fsdp()}

    def _check_prompts(self) -> dict[str, tuple[int, ...]]:
        """Prompt ids by record id; over-long prompts and a tail that does not fill a step are refused here."""
        data = self.config.data
        prompts = {r.id: tuple(self.renderer.prompt_ids(r, "atomic")) for r in self.records}
        check_lengths({name: len(ids) for name, ids in prompts.items()}, data.prompt_limit, "prompts")
        if self.config.distils:
            check_lengths({r.id: len(self.renderer.teacher_ids(r)) for r in self.records}, data.teacher_limit, "teacher prompts")
        per_step, count = self.config.rollout.prompts, len(self.records)
        if count < per_step or (count % per_step and data.tail == "refuse"):
            raise TrainerError("tail", f"{count} records do not fill steps of {per_step} prompts ({count % per_step} are left over): add or drop "
                               "records, or use --set data.tail=drop.")
        return prompts

    def _claim(self) -> None:
        """Writes config.json and identity.json once; refuses a folder of another config."""
        file = self.run / "identity.json"
        if file.is_file():
            refuse_other(json.loads(file.read_text()), json.loads(json.dumps(self.identity)), str(self.run))
        elif self.world.first:
            write_json(self.run / "config.json", asdict(self.config))
            write_json(file, self.identity)
        self.world.barrier()

    def _load_base(self) -> None:
        """Fresh weights and optimizer: the state of step 0."""
        config = self.config
        policy = load_policy(config.model)
        self.policy: Policy = shard(policy) if uses_fsdp() else policy
        self.policy.eval()
        optim = config.optim
        self.optimizer = torch.optim.AdamW([p for _, p in trainable(self.policy)], lr=optim.lr, betas=(optim.beta1, optim.beta2),
                                           weight_decay=optim.weight_decay)
        pad = int(self.tokenizer.pad_token_id)
        self.scorer = Scorer(self.policy, pad, config.model.token_budget, self.world)
        self.generator: Generator = self._given_generator or self._make_generator(pad)
        self.step = 0

    def _make_generator(self, pad: int) -> Generator:
        config = self.config
        if config.rollout.generator == "vllm":
            from ..model.generate_vllm import VllmGenerator

            if self.world.size > 1:
                raise TrainerError("bad_config", "vLLM rollouts run in one process only: start without `accelerate launch`, or use --set "
                                   "rollout.generator=hf.")
            return VllmGenerator.load(config.model, end_ids(self.policy, self.tokenizer))
        return HuggingFaceGenerator(self.policy, pad, end_ids(self.policy, self.tokenizer), config.rollout.batch_rows, self.world)

    def _load_frozen(self) -> Scorer | None:
        """The frozen cold-start model, where one is needed that is not the base under a LoRA."""
        config = self.config
        if config.model.lora_rank or (not config.distils and config.optim.kl_beta == 0):
            return None
        frozen = load_frozen(config.model)
        return Scorer(shard(frozen) if uses_fsdp() else frozen, int(self.tokenizer.pad_token_id), config.model.token_budget, self.world)

    @property
    def reference(self) -> Scorer | None:
        """KL reference or OPSD teacher: the frozen model; under a LoRA this session's scorer, to be run with the adapter off."""
        return self.scorer if self.config.model.lora_rank else self._frozen

    def at(self, step: int) -> None:
        """Makes weights, moments and RNG those after `step` updates."""
        if self.step == step:
            return
        if step == 0:
            self._load_base()
        else:
            saved = checkpoint.read_state(self.run, step)
            if saved is not None:
                refuse_other(saved.identity, json.loads(json.dumps(self.identity)), f"checkpoint {step} of {self.run}")
            checkpoint.restore(self.run, step, self.policy, self.optimizer)
        self.step = step

    def spoiled(self) -> None:
        """Says that the weights in memory are between two steps: the next call reloads."""
        self.step = -1

    def steps_per_epoch(self) -> int:
        """Whole steps the data holds."""
        return len(self.records) // self.config.rollout.prompts

    def total_steps(self) -> int:
        """run.steps, or one epoch."""
        return self.config.run.steps or self.steps_per_epoch()

    def step_records(self, step: int) -> list[Record]:
        """The prompts of a step (from 1): a function of seed and step only."""
        epoch, place = divmod(step - 1, self.steps_per_epoch())
        order = permutation(len(self.records), "prompts", self.config.run.seed, epoch)
        size = self.config.rollout.prompts
        return [self.records[i] for i in order[place * size:(place + 1) * size]]

    def decode(self, ids: list[int]) -> str:
        """Text for people, judges and sentence splitting; never turned back into ids."""
        return str(self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def say(self, text: str) -> None:
        """One line to the person, from the first process."""
        if self.world.first:
            print(text, file=sys.stderr, flush=True)


def _path(name: str) -> Path | None:
    return Path(name) if name else None
