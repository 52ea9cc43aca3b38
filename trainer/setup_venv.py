"""Makes trainer/.venv with the pinned CPU stack. Standard library only; safe to call again: it does nothing when nothing changed.

    python3 trainer/setup_venv.py            make or refresh the environment
    python3 trainer/setup_venv.py --force    install again even when nothing changed
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements-cpu.txt"
ENVIRONMENT = HERE / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / "memcalib-requirements.sha256"


def wanted() -> str:
    """Digest of everything that decides what is installed."""
    parts = [REQUIREMENTS.read_bytes(), sys.version.split()[0].encode(), str(HERE).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def say(text: str) -> None:
    print(f"trainer: {text}", flush=True)


def fail(text: str) -> None:
    print(f"trainer: {text}", file=sys.stderr)
    sys.exit(1)


def pip(*arguments: str) -> None:
    """One pip call; its own output is shown only when it fails."""
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PIP_NO_INPUT": "1"}, check=False)
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if "WARNING" not in line]
        print("\n".join(lines[-8:]), file=sys.stderr)
        fail(f"`pip install {' '.join(arguments[:2])}` failed: check the network or proxy (about 1.5 GB are needed), "
             "then run `python3 trainer/setup_venv.py` again.")


def main() -> None:
    if sys.version_info < (3, 11):
        fail(f"Python {sys.version.split()[0]} is too old: install Python 3.11 or newer, then run `python3 trainer/setup_venv.py`.")
    digest = wanted()
    if "--force" not in sys.argv and PYTHON.exists() and STAMP.exists() and STAMP.read_text() == digest:
        return
    if not PYTHON.exists():
        say("making trainer/.venv")
        try:
            venv.create(ENVIRONMENT, with_pip=True, clear=ENVIRONMENT.exists())
        except (OSError, subprocess.CalledProcessError):
            fail("cannot make a virtual environment: install python3-venv, then run `python3 trainer/setup_venv.py`.")
    torch = next(line for line in REQUIREMENTS.read_text().splitlines() if line.startswith("torch=="))
    say(f"installing {torch} (first time: about a minute)")
    if sys.platform == "linux":
        pip("--extra-index-url", "https://download.pytorch.org/whl/cpu", torch) if not _has_wheel(torch) else pip(torch)
    else:
        pip(torch)
    say("installing transformers, trl, peft, accelerate and the test tools (first time: about a minute)")
    pip("-r", str(REQUIREMENTS))
    say("linking memcalib_train into the environment")
    site = next((ENVIRONMENT / "lib").glob("python3*/site-packages"))
    (site / "memcalib_train.pth").write_text(f"{HERE}\n")
    script = ENVIRONMENT / "bin" / "memcalib-train"
    script.write_text(f"#!{PYTHON}\nimport sys\nfrom memcalib_train.cli import main\nsys.exit(main())\n")
    script.chmod(0o755)
    STAMP.write_text(digest)
    say("ready: trainer/.venv/bin/memcalib-train")


def _has_wheel(requirement: str) -> bool:
    """Whether pip's own configuration already finds a CPU wheel (a find-links folder on this disk)."""
    done = subprocess.run([str(PYTHON), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if "find-links" in line:
            folder = Path(line.split("=", 1)[1].strip().strip("'"))
            version = requirement.split("==")[1]
            if folder.is_dir() and any(folder.glob(f"torch-{version}+cpu-*.whl")):
                return True
    return False


if __name__ == "__main__":
    main()
