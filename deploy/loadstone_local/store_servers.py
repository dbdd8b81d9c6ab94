"""Servers that tests start and the system has no package of: kept between runs, left out where they cannot be had."""

import os
import subprocess
from functools import partial
from pathlib import Path

from loadstone_local import packages
from loadstone_local.console import run_side_by_side, say
from loadstone_local.paths import in_venv

CACHE = Path("/var/tmp") / f"loadstone-stores-{os.geteuid()}"
"""Outside the checkout, which may lie where the users of the servers cannot enter."""
FERRETDB_SWITCH = "LOADSTONE_TEST_FERRETDB"


def prepare_stores() -> None:
    """Sets LOADSTONE_AGENT_DIR to where they are. Nothing fails: tests of what is missing are skipped and say why."""
    CACHE.mkdir(mode=0o711, exist_ok=True)
    status = CACHE.stat()
    if status.st_uid != os.geteuid():
        return say(f"  … {CACHE} is somebody else's: the tests of MySQL, Valkey and FerretDB are skipped")
    os.environ["LOADSTONE_AGENT_DIR"] = str(CACHE)
    run_side_by_side([partial(_install, kind) for kind in _wanted()])
    return None


def _wanted() -> list[str]:
    wanted = ["valkey", "mysql"]
    if os.environ.get(FERRETDB_SWITCH):
        wanted.append("ferretdb")
    elif not any(CACHE.glob("servers/ferretdb-*/ferretdb")):
        say(f"  … FerretDB takes minutes to build: its tests are skipped unless {FERRETDB_SWITCH}=1")
    if "mysql" in wanted and not any(CACHE.glob("servers/mysql-5*")):
        packages.install_missing(["mvn"])
    return wanted


def _install(kind: str) -> None:
    command = [str(in_venv("loadstone-agent")), "stores", "install", kind]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        say(f"  … {kind} cannot be had here, its tests are skipped: {done.stderr.strip()[-1000:]}")
