"""Files that exist whole or not at all: write beside, fsync, rename. A full disk loses nothing that was there."""

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from ..errors import TrainerError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """A full disk becomes one sentence; what was there before stays."""
    try:
        yield
    except (OSError, SafetensorError) as problem:
        full = getattr(problem, "errno", None) in _FULL or "No space" in str(problem) or "File too large" in str(problem)
        if not full:
            raise
        raise TrainerError("disk_full", f"no room on the disk to write {target}; nothing was lost: free space there, then run the same "
                           "command again.", retryable=True) from None


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: Path, data: bytes) -> None:
    """Atomic write of one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    with disk_errors(path):
        try:
            partial.write_bytes(data)
            _fsync(partial)
            partial.replace(path)
            _fsync(path.parent)
        except OSError:
            partial.unlink(missing_ok=True)
            raise


def write_json(path: Path, value: Any) -> None:
    """Atomic write of readable JSON; NaN is refused."""
    write_bytes(path, (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


@contextmanager
def commit_folder(target: Path) -> Iterator[Path]:
    """Yields a partial folder beside the target; on success it is synced and renamed, on failure removed."""
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    with disk_errors(target):
        try:
            partial.mkdir(parents=True)
            yield partial
            for file in sorted(partial.rglob("*")):
                _fsync(file)
            if target.exists():
                shutil.rmtree(target)
            partial.rename(target)
            _fsync(target.parent)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
