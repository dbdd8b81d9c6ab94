"""`make audit`: are there known faults in what the product is built from? Says where nobody could be asked.

A tool that skips every package, or cannot reach its advisories, has checked nothing: that is told, and is no failure
of a build without a network. A known fault is one.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

REPOSITORY = Path(__file__).resolve().parents[2]
LIMIT_S = 120


@dataclass
class Verdict:
    lock: str
    status: Literal["no known faults", "known faults", "not checked"]
    checked: int = 0
    reason: str = ""
    faults: list[str] = field(default_factory=list)


def read_pip_audit(lock: str, output: str) -> Verdict:
    """Its exit code is 0 even where it skipped everything: only packages that it looked up count."""
    try:
        packages: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Verdict(lock, "not checked", reason="pip-audit gave no answer: no advisories were reached")
    checked = [package for package in packages if "skip_reason" not in package]
    if not packages or len(checked) < len(packages):
        skipped = len(packages) - len(checked)
        return Verdict(lock, "not checked", len(checked), f"pip-audit skipped {skipped} of {len(packages)} packages")
    faults = [f"{package['name']} {one['id']}" for package in checked for one in package["vulns"]]
    return Verdict(lock, "known faults" if faults else "no known faults", len(checked), faults=faults)


def read_npm_audit(lock: str, output: str) -> Verdict:
    try:
        told = json.loads(output)
        counted, found = told["metadata"]["dependencies"]["total"], told["vulnerabilities"]
    except (ValueError, KeyError, TypeError):
        return Verdict(lock, "not checked", reason="npm audit gave no answer: no advisories were reached")
    return Verdict(lock, "known faults" if found else "no known faults", counted, faults=sorted(found))


def read_cargo_audit(lock: str, output: str) -> Verdict:
    try:
        told = json.loads(output)
        counted, found = told["lockfile"]["dependency-count"], told["vulnerabilities"]["list"]
        advisories = told["database"]["advisory-count"]
    except (ValueError, KeyError, TypeError):
        return Verdict(lock, "not checked", reason="cargo audit gave no answer: no advisories were reached")
    if not advisories:
        return Verdict(lock, "not checked", reason="cargo audit has no advisories")
    faults = [f"{one['package']['name']} {one['advisory']['id']}" for one in found]
    return Verdict(lock, "known faults" if faults else "no known faults", counted, faults=faults)


def ask(lock: str, command: list[str], folder: Path, read: Callable[[str, str], Verdict]) -> Verdict:
    if shutil.which(command[0]) is None:
        return Verdict(lock, "not checked", reason=f"{Path(command[0]).name} is not installed here")
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return Verdict(lock, "not checked", reason=f"{command[0]} did not end within {LIMIT_S} s")
    return read(lock, done.stdout)


def verdicts() -> list[Verdict]:
    local = REPOSITORY / ".venv" / "bin" / "pip-audit"
    pip_audit = str(local) if local.exists() else "pip-audit"
    cargo_audit = "cargo-audit"
    options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    found = [
        ask(lock, [pip_audit, *options, "--requirement", lock], REPOSITORY, read_pip_audit)
        for lock in ("requirements.txt", "requirements-agent.txt", "requirements-cli.txt")
    ]
    frontend = REPOSITORY / "frontend"
    npm = ["npm", "audit", "--json", "--package-lock-only", "--omit=dev"]
    found.append(ask("frontend/package-lock.json", npm, frontend, read_npm_audit))
    engine = REPOSITORY / "workers" / "engine"
    found.append(ask("workers/engine/Cargo.lock", [cargo_audit, "audit", "--json"], engine, read_cargo_audit))
    return found


def main() -> int:
    found = verdicts()
    for verdict in found:
        print(json.dumps(asdict(verdict)))
    return 1 if any(verdict.status == "known faults" for verdict in found) else 0


if __name__ == "__main__":
    sys.exit(main())
