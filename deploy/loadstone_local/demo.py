"""`make demo`: from a checkout to a measured curve; `make up`: the same without the measurement.

`python -m loadstone_local.demo [up]` prepares with the machine's Python, then goes on in the checkout's own.
"""

import hashlib
import os
import subprocess
import sys
import time

from loadstone_local import packages, prepare, stack_process
from loadstone_local.console import StepFailed, say
from loadstone_local.paths import REPOSITORY, STAMPS, STATE, in_venv


def _prepare() -> None:
    say("Preparing (only what changed since the last time)")
    STATE.mkdir(parents=True, exist_ok=True)
    missing = packages.install_missing(["memcached", "redis-server"])
    if missing:
        names = [packages.PACKAGE_OF[name] for name in missing]
        say(f"  ! not installed: {', '.join(missing)}. Type: {packages.install_command(names)}")
    if len(missing) == 2:
        raise StepFailed("Without any store there is nothing to measure: install one of them, then make demo again")
    prepare.prepare_everything("requirements.txt")


def _measure() -> int:
    # In the checkout's own Python: what follows needs its dependencies.
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY / "deploy")}
    return subprocess.run([in_venv("python"), "-m", "loadstone_local.measure"], env=env).returncode


def code_fingerprint() -> str:
    """Changes when a running stack would have to be started again to run the present code."""
    digest = hashlib.sha256()
    for folder in ("backend/loadstone", "workers", "migrations", "deploy/loadstone_local"):
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    for stamp in sorted(STAMPS.iterdir()):
        digest.update(stamp.read_bytes())
    return digest.hexdigest()


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    try:
        _prepare()
        say("Starting the stack on loopback")
        stack_process.ensure_running(code_fingerprint())
        code = 0 if arguments == ["up"] else _measure()
    except (StepFailed, PermissionError) as error:
        say(f"error: {error}")
        return 1
    if code == 0:
        say(f"Done in {time.monotonic() - started:.0f} s. The stack goes on running; stop it with: make down")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
