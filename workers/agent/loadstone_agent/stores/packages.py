"""Packages of the system, installed where we may."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence

from loadstone_agent.errors import StoreMissing
from loadstone_agent.typed import typed_here

Say = Callable[[str], None]


def install_packages(names: Sequence[str], say: Say) -> None:
    """Raises StoreMissing with the command to type."""
    missing = [name for name in names if not _is_installed(name)]
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise StoreMissing(
            f"Packages are missing, and this user cannot install them. Run: {typed_here(' '.join(command))}"
        )
    say(" ".join(command))
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        # A bare machine has no lists of packages, or old ones.
        subprocess.run(["apt-get", "-qq", "update"], env=environment, capture_output=True)
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise StoreMissing(f"{' '.join(command)} failed: run it by hand.", done.stderr)


def is_packaged(package: str) -> bool:
    """Whether the system's own archive has it."""
    if shutil.which("apt-cache") is None:
        return False
    told = subprocess.run(["apt-cache", "show", "--no-all-versions", package], capture_output=True, text=True)
    return told.returncode == 0 and bool(told.stdout.strip())


def _is_installed(package: str) -> bool:
    if shutil.which("dpkg-query") is None:
        return False
    status = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True, text=True).stdout
    return status.endswith(" installed")
