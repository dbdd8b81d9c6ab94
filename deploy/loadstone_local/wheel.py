"""The engine as a wheel: one binary for every x86-64 Linux with glibc 2.17 or newer, installed without a compiler."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from loadstone_local.console import StepFailed, run_quietly, say
from loadstone_local.paths import ENGINE_DIR, REPOSITORY

DIST = REPOSITORY / "dist"
TOOLS = REPOSITORY / ".loadstone/wheel-tools"
PLATFORM = "manylinux2014"


def _environment(folder: Path) -> Path:
    """A fresh virtual environment, and the Python in it."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder / "bin/python"


def _install(python: Path, *words: str) -> None:
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "-q"]
    run_quietly(f"Python: {words[-1]}", [*pip, *words], cwd=REPOSITORY)


def build_wheel(out: Path) -> Path:
    """Build by maturin with zig as the linker. Errors: `StepFailed` with what the build said."""
    python = TOOLS / "bin/python"
    if not python.exists():
        _environment(TOOLS)
    _install(python, "--require-hashes", "-r", "requirements-wheel.txt")
    command = [str(python), "-m", "maturin", "build", "--release", "--zig", "--compatibility", PLATFORM]
    before = set(out.glob("*.whl"))
    # zig is found as a module of the first Python on the path.
    env = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    run_quietly("Engine: the wheel", [*command, "--out", str(out)], cwd=ENGINE_DIR, env=env)
    made = set(out.glob("*.whl")) - before or set(out.glob("loadstone_engine-*.whl"))
    return max(made, key=lambda wheel: wheel.stat().st_mtime)


def try_wheel(wheel: Path) -> str:
    """Install a wheel where nothing else is and ask its engine what it can. Gives the engine's version."""
    if PLATFORM not in wheel.name:
        raise StepFailed(f"{wheel.name} is not for {PLATFORM}")
    with tempfile.TemporaryDirectory(prefix="loadstone-wheel-") as folder:
        python = _environment(Path(folder))
        _install(python, "--no-index", "--no-deps", str(wheel))
        engine = python.with_name("loadstone-engine")
        described = json.loads(subprocess.run([engine, "describe"], check=True, capture_output=True).stdout)
    if len(described["protocols"]) < 2:
        raise StepFailed(f"the engine of {wheel.name} offers {described['protocols']}")
    return str(described["engine_version"])


def main() -> int:
    try:
        wheel = build_wheel(DIST)
        version = try_wheel(wheel)
    except StepFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    say(f"{wheel.relative_to(REPOSITORY)}: loadstone-engine {version}, {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
