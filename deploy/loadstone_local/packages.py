"""System packages: installed where we may, named with the exact command where we may not."""

import os
import shutil
import subprocess
from pathlib import Path

from loadstone_local.console import StepFailed, say

PACKAGE_OF = {
    "memcached": "memcached",
    "redis-server": "redis-server",
    "mariadbd": "mariadb-server",
    "mvn": "maven",
    # Load generators of others, and what client libraries are built and run with.
    "memcslap": "libmemcached-tools",
    "sysbench": "sysbench",
    "php": "php-cli php-redis",
    "gcc": "gcc libc6-dev",
    "redis-benchmark": "redis-tools",
    "mysqlslap": "mariadb-client",
    "chromium": "chromium",
    "node": "nodejs",
    "npm": "npm",
    "cargo": "cargo",
    "go": "golang-go",
}


def find_program(name: str) -> Path | None:
    """On PATH, or where Debian, rustup and Go put programs that an ordinary user's PATH lacks."""
    folders = [*os.environ.get("PATH", "").split(":"), "/usr/sbin", "/usr/local/sbin"]
    folders += [str(Path.home() / ".cargo/bin"), "/usr/local/go/bin"]
    found = shutil.which(name, path=":".join(folders))
    return Path(found) if found else None


def install_command(packages: list[str]) -> str:
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"{sudo}apt-get install -y --no-install-recommends {' '.join(packages)}"


def _policy_against_services() -> Path | None:
    """Debian starts a service when its package is installed; this benchmark host wants none."""
    policy = Path("/usr/sbin/policy-rc.d")
    if policy.exists():
        return None
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    return policy


def _apt(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", *arguments]
    return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def install_missing(programs: list[str]) -> list[str]:
    """Install the packages of missing programs as root; return the programs that are still missing."""
    missing = [name for name in programs if find_program(name) is None]
    if not missing or os.geteuid() != 0 or find_program("apt-get") is None:
        return missing
    packages = [package for name in missing for package in PACKAGE_OF[name].split()]
    say(f"  … installing {', '.join(packages)}")
    policy = _policy_against_services()
    try:
        done = _apt("install", "-y", "--no-install-recommends", *packages)
        if done.returncode != 0:
            _apt("update")
            done = _apt("install", "-y", "--no-install-recommends", *packages)
        if done.returncode != 0:
            say(done.stderr[-4000:])
    finally:
        if policy is not None:
            policy.unlink()
    return [name for name in programs if find_program(name) is None]


def require(programs: list[str], purpose: str) -> None:
    """Errors: `StepFailed` with the exact command to type."""
    missing = install_missing(programs)
    if missing:
        names = [PACKAGE_OF[name] for name in missing]
        raise StepFailed(f"{', '.join(missing)} is missing ({purpose}). Type: {install_command(names)}")
