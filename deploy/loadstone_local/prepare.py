"""Installs and builds what a checkout needs; each part again only when its inputs changed."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from loadstone_local import packages
from loadstone_local.console import StepFailed, run_quietly, run_side_by_side
from loadstone_local.paths import ENGINE, ENGINE_DIR, FRONTEND, REPOSITORY, STAMPS, VENV, in_venv

PYTHON_PACKAGES = ["backend", "workers/contracts", "workers/control", "workers/agent", "workers/cli"]
NODE_MAJOR_MIN = 20


def _fingerprint(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file.relative_to(REPOSITORY)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _once(name: str, files: Iterable[Path], product: Path, build: Callable[[], None]) -> None:
    """Build unless `product` stands and was built from exactly these files."""
    stamp = STAMPS / name
    fingerprint = _fingerprint(files)
    if product.exists() and stamp.exists() and stamp.read_text() == fingerprint:
        return
    build()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(fingerprint)


def _make_venv() -> None:
    if in_venv("python").exists() and in_venv("pip").exists():
        return
    shutil.rmtree(VENV, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "venv", VENV], capture_output=True, text=True)
    if done.returncode != 0:
        raise StepFailed(
            f"A virtual environment cannot be made. Type: {packages.install_command(['python3-venv'])}\n{done.stdout}"
        )


def _install_python(locks: list[Path]) -> None:
    _make_venv()
    pip = [str(in_venv("python")), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    run_quietly("Python: the installer", [*pip, "install", "-q", "--require-hashes", "-r", "requirements-tools.txt"],
                cwd=REPOSITORY)  # fmt: skip
    uv = [str(in_venv("uv")), "pip", "install", "-q", "--python", str(in_venv("python"))]
    chosen = [word for lock in locks for word in ("-r", str(lock))]
    run_quietly("Python: dependencies, by hash", [*uv, "--require-hashes", *chosen], cwd=REPOSITORY)
    editable = [word for package in PYTHON_PACKAGES for word in ("-e", package)]
    run_quietly("Python: Loadstone's own packages", [*uv, "--no-deps", "--no-build-isolation", *editable],
                cwd=REPOSITORY)  # fmt: skip


def prepare_python(lock: str) -> None:
    """`.venv` with the dependencies of one lock file (`requirements.txt` or `requirements-dev.txt`)."""
    locks = [REPOSITORY / lock, REPOSITORY / "requirements-quickstart.txt"]
    inputs = [*locks, REPOSITORY / "requirements-tools.txt"]
    inputs += [REPOSITORY / package / "pyproject.toml" for package in PYTHON_PACKAGES]
    # The development lock holds all of the runtime lock, so it also serves where the runtime one is asked for.
    dev_stamp = STAMPS / "python-requirements-dev.txt"
    if lock == "requirements.txt" and dev_stamp.exists() and in_venv("mypy").exists():
        return prepare_python("requirements-dev.txt")
    return _once(f"python-{lock}", inputs, in_venv("uvicorn"), partial(_install_python, locks))


def _sources(folder: Path, *patterns: str, skip: tuple[str, ...]) -> list[Path]:
    found = {file for pattern in patterns for file in folder.rglob(pattern) if file.is_file()}
    return [file for file in found if not set(skip) & set(file.relative_to(folder).parts)]


def prepare_engine() -> None:
    """The native engine, built in release."""
    packages.require(["cargo"], "builds the load engine")
    cargo = packages.find_program("cargo")
    env = {**os.environ, "PATH": f"{cargo.parent}:{os.environ['PATH']}"} if cargo else None
    command = [str(cargo), "build", "--release", "--locked", "--quiet"]
    files = _sources(ENGINE_DIR, "*.rs", "Cargo.toml", "Cargo.lock", skip=("target",))
    _once("engine", files, ENGINE, lambda: run_quietly("Engine: release build", command, cwd=ENGINE_DIR, env=env))


def _require_node() -> str:
    packages.require(["node", "npm"], "builds the pages")
    node = packages.find_program("node")
    version = subprocess.run([str(node), "--version"], capture_output=True, text=True).stdout.strip()
    found = re.match(r"v(\d+)", version)
    if found is None or int(found[1]) < NODE_MAJOR_MIN:
        raise StepFailed(f"Node {NODE_MAJOR_MIN} or newer is needed to build the pages; {node} is {version}")
    return str(packages.find_program("npm"))


def prepare_node_modules() -> None:
    npm = _require_node()
    files = [FRONTEND / "package.json", FRONTEND / "package-lock.json"]
    command = [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    _once("node-modules", files, FRONTEND / "node_modules",
          lambda: run_quietly("Pages: dependencies, by hash", command, cwd=FRONTEND))  # fmt: skip


def prepare_pages() -> None:
    """The built front end in `frontend/dist`."""
    prepare_node_modules()
    files = _sources(FRONTEND, "*.ts", "*.tsx", "*.css", "*.html", "*.json", "*.svg", "*.js", "*.mjs",
                     skip=("node_modules", "dist", "e2e"))  # fmt: skip
    command = [str(packages.find_program("npm")), "run", "--silent", "build"]
    _once("pages", [file for file in files if file.suffix != ".tsbuildinfo"], FRONTEND / "dist/index.html",
          lambda: run_quietly("Pages: build", command, cwd=FRONTEND))  # fmt: skip


def prepare_everything(lock: str) -> None:
    """Python, engine and pages side by side: each mostly waits for something else than the others do."""
    run_side_by_side([partial(prepare_python, lock), prepare_engine, prepare_pages])
