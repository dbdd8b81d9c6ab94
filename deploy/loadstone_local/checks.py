"""`make test`: every check, one line each; the whole output of those that fail.

`python -m loadstone_local.checks [NAME ...]` runs only the named ones.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from loadstone_local import packages, prepare
from loadstone_local.console import StepFailed, say
from loadstone_local.paths import ENGINE_DIR, FRONTEND, REPOSITORY, STATE, VENV, in_venv
from loadstone_local.store_servers import build_ferretdb, prepare_stores

SUMMARY = re.compile(
    r"^(=* ?\d+ passed.*|test result: .*|\s*Tests\s+\d+.*|Contracts: .*|.*browser_test.*|compose: .*|attack: \d.*)$",
    re.M,
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NEED_STORES = {"pytest", "cargo-test"}
# Thousands of lines of requests would stand before what failed; one fixed order fails after a change only.
PYTEST = ["-n", "2", "--dist", "loadfile", "--show-capture", "log", "--randomly-seed", "1"]
ATTACK_CLASSES = ["plans", "planted", "doorbells", "storm"]
"""Those that need a live stack; the others are tests of the backend. `stores` takes minutes, and pytest has its
attacks on real servers and on the sandbox."""
PYTHON_FOLDERS = ["backend", "workers", "deploy", "migrations"]


@dataclass(frozen=True)
class Check:
    name: str
    command: list[str]
    cwd: Path = REPOSITORY
    environment: dict[str, str] = field(default_factory=dict)
    turn: Literal["any", "beside", "servers", "alone"] = "any"
    """`beside` mostly waits, so it runs beside `any`; `servers` after the last server is built, which goes on beside
    those two; `alone` keeps all cores busy or times what people see."""


def _python_checks() -> list[Check]:
    ruff, mypy = str(in_venv("ruff")), str(in_venv("mypy"))
    sources = ["backend/loadstone", "workers/contracts/loadstone_contracts", "workers/control/loadstone_control",
               "workers/agent/loadstone_agent", "workers/cli/loadstone_cli", "deploy/loadstone_local"]  # fmt: skip
    return [
        Check("ruff", [ruff, "check", *PYTHON_FOLDERS]),
        Check("ruff-format", [ruff, "format", "--check", *PYTHON_FOLDERS]),
        Check("mypy", [mypy, *sources]),
        Check("import-linter", [str(in_venv("lint-imports"))]),
        Check("pytest", [str(in_venv("python")), "-m", "pytest", *PYTEST], turn="alone"),
    ]


def _rust_checks() -> list[Check]:
    cargo = str(packages.find_program("cargo"))
    env = {"PATH": f"{Path(cargo).parent}:{os.environ['PATH']}"}
    return [
        Check("cargo-fmt", [cargo, "fmt", "--check"], ENGINE_DIR, env),
        Check("clippy", [cargo, "clippy", "--quiet", "--locked", "--all-targets", "--", "-D", "warnings"], ENGINE_DIR,
              env),
        Check("cargo-test", [cargo, "test", "--quiet", "--locked", "--no-fail-fast"], ENGINE_DIR, env,
              turn="servers"),
    ]  # fmt: skip


def _page_checks() -> list[Check]:
    npm = [str(packages.find_program("npm")), "run", "--silent"]
    return [
        Check("pages-client", [*npm, "gen:check"], FRONTEND),
        Check("pages-lint", [*npm, "lint"], FRONTEND),
        Check("vitest", [*npm, "test"], FRONTEND),
    ]


def _stack_checks() -> list[Check]:
    module = [str(in_venv("python")), "-m"]
    env = {"PYTHONPATH": str(REPOSITORY / "deploy")}
    return [
        Check("faults", [*module, "pytest", "deploy/tests"], environment=env, turn="beside"),
        Check(
            "attack", [*module, "loadstone_local.attack", "--short", *ATTACK_CLASSES], environment=env, turn="beside"
        ),
        Check("compose", ["bash", str(REPOSITORY / "deploy/compose-check.sh")], turn="beside"),
        Check("browser", [*module, "loadstone_local.browser_check"], environment=env, turn="alone"),
    ]


def _run(check: Check) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        check.command,
        cwd=check.cwd,
        env={**os.environ, **check.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    output = COLOUR.sub("", done.stdout)
    seconds = f"{time.monotonic() - started:.1f} s"
    if done.returncode != 0:
        say(f"✗ {check.name} ({seconds}, exit {done.returncode}): {' '.join(check.command)}\n{output[-60_000:]}")
        return False
    facts = "; ".join(line.strip(" =") for line in SUMMARY.findall(output)[-4:])
    say(f"✓ {check.name} ({seconds}) {facts}")
    return True


def _run_all(chosen: list[Check]) -> list[bool]:
    def of(turn: str) -> list[Check]:
        return [check for check in chosen if check.turn == turn]

    with ThreadPoolExecutor(max_workers=1) as builds, ThreadPoolExecutor(max_workers=1) as beside:
        built = builds.submit(build_ferretdb if NEED_STORES & {check.name for check in chosen} else lambda: None)
        waited = [beside.submit(_run, check) for check in of("beside")]
        results = [_run(check) for check in of("any")]
        built.result()
        results += [_run(check) for check in of("servers")]
        results += [one.result() for one in waited]
    return results + [_run(check) for check in of("alone")]


@contextmanager
def _own_temporary_folder() -> Iterator[None]:
    """Everything tests leave in a temporary folder goes with the run."""
    # 755: servers that root drops to an ordinary user must reach their data.
    folder = Path(tempfile.mkdtemp(prefix="loadstone-checks-"))
    folder.chmod(0o755)
    os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prepare() -> None:
    packages.require(
        ["memcached", "redis-server", "mariadbd", "chromium", "memcslap", "sysbench", "php", "gcc", "mvn"],
        "tests run on real servers, with other load generators, and in a real browser",
    )
    STATE.mkdir(parents=True, exist_ok=True)
    prepare.prepare_everything("requirements-dev.txt")
    prepare_stores()
    os.environ["VIRTUAL_ENV"] = str(VENV)


def main(names: list[str]) -> int:
    started = time.monotonic()
    try:
        _prepare()
    except StepFailed as error:
        say(f"error: {error}")
        return 1
    checks = [*_python_checks(), *_rust_checks(), *_page_checks(), *_stack_checks()]
    chosen = [check for check in checks if not names or check.name in names]
    with _own_temporary_folder():
        results = _run_all(chosen)
    say(f"all checks took {time.monotonic() - started:.0f} s")
    say(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
