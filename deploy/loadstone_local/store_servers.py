"""Servers that tests start and the system has no package of: kept between runs, left out where they cannot be had."""

import os
import re
import subprocess
from functools import partial
from pathlib import Path

from loadstone_local import packages
from loadstone_local.console import run_side_by_side, say
from loadstone_local.paths import in_venv

CACHE = Path("/var/tmp") / f"loadstone-stores-{os.geteuid()}"
"""Outside the checkout, which may lie where the users of the servers cannot enter."""
FERRETDB = "LOADSTONE_TEST_FERRETDB"
"""Where the engine's own tests find it."""
GO_MIN = (1, 24)


def prepare_stores() -> None:
    """Sets LOADSTONE_AGENT_DIR to where they are. Nothing fails: tests of what is missing are skipped and say why."""
    CACHE.mkdir(mode=0o711, exist_ok=True)
    status = CACHE.stat()
    if status.st_uid != os.geteuid():
        return say(f"  … {CACHE} is somebody else's: the tests of MySQL, Valkey and FerretDB are skipped")
    os.environ["LOADSTONE_AGENT_DIR"] = str(CACHE)
    if not any(CACHE.glob("servers/mysql-5*")):
        packages.install_missing(["mvn"])
    run_side_by_side([partial(_install, "valkey"), partial(_install, "mysql")])
    return None


def build_ferretdb() -> None:
    """Two minutes of one core, once; without a Go that is new enough its tests are skipped, which is said."""
    is_ours = os.environ.get("LOADSTONE_AGENT_DIR") == str(CACHE)
    reason = _why_no_go() if is_ours and _ferretdb() is None else None
    if reason is not None:
        say(f"  … FerretDB cannot be built, its tests are skipped: {reason}")
    elif is_ours and _ferretdb() is None:
        # What is checked meanwhile goes first.
        _install("ferretdb", ["nice", "-n", "19"])
    built = _ferretdb()
    if is_ours and built is not None:
        os.environ[FERRETDB] = str(built)


def _ferretdb() -> Path | None:
    return next(CACHE.glob("servers/ferretdb-*.*/ferretdb"), None)


def _why_no_go() -> str | None:
    """From Debian 13 on the system's own package is new enough."""
    needed = ".".join(map(str, GO_MIN))
    if packages.find_program("go") is None and _packaged_go() >= GO_MIN:
        packages.install_missing(["go"])
    go = packages.find_program("go")
    if go is None:
        return f"it needs Go {needed}, which is not here"
    # Not in the checkout: a module there might ask for another version of the tools.
    printed = subprocess.run([go, "version"], cwd="/", capture_output=True, text=True).stdout
    return None if _version_in(printed) >= GO_MIN else f"it needs Go {needed}, and {go} is {printed.strip()}"


def _packaged_go() -> tuple[int, ...]:
    if packages.find_program("apt-cache") is None:
        return ()
    told = subprocess.run(["apt-cache", "policy", "golang-go"], capture_output=True, text=True).stdout
    return _version_in(told.partition("Candidate:")[2])


def _version_in(text: str) -> tuple[int, ...]:
    """Major and minor; an epoch is none of it."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else ()


def _install(kind: str, before: list[str] | None = None) -> None:
    command = [*(before or []), str(in_venv("loadstone-agent")), "stores", "install", kind]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        say(f"  … {kind} cannot be had here, its tests are skipped: {done.stderr.strip()[-1000:]}")
