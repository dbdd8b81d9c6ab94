"""Programs of a newer Debian in a folder of their own, with the libraries and the loader that they were built for.

The system itself is not upgraded: apt gets a configuration of its own, packages are unpacked and not installed.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from loadstone_agent.errors import StoreMissing
from loadstone_agent.settings import get_settings
from loadstone_agent.stores.packages import Say

SUITES = ("trixie", "forky", "sid")
"""From the released one to the one that moves."""
LIBRARIES = (
    "libc6",
    "libssl3t64",
    "libgcc-s1",
    "libstdc++6",
    "libatomic1",
    "libjemalloc2",
    "liblua5.4-0",
    "liblua5.1-0",
    "liblzf1",
    "libsystemd0",
    "libcap2",
    "libzstd1",
    "zlib1g",
)
"""What servers like these link against, in one suite or the other; those that a suite lacks are left out."""
SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
CONFIGURATION = """Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{folder}/preferences.d";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
"""


def find_private(package: str, binary: str) -> Path | None:
    """The newest one that was unpacked here."""
    found = get_settings().servers_dir.glob(f"{package}-[0-9]*/usr/bin/{binary}")
    versions = {tuple(map(int, re.findall(r"\d+", path.parents[2].name))): path for path in found}
    return versions[max(versions)] if versions else None


def private_launcher(binary: Path) -> list[str]:
    """Run by the loader beside it where it has one: the system's own C library is too old for it."""
    root = binary.parents[2]
    triplet = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
    libraries = root / "usr/lib" / triplet
    loader = next(iter(sorted(libraries.glob("ld-linux-*.so.*"))), None)
    if loader is None:
        return [str(binary)]
    return [str(loader), "--library-path", str(libraries), "--argv0", binary.name, str(binary)]


def install_private(package: str, version: str | None, say: Say) -> None:
    """The first suite whose package has that version, or any; raises StoreMissing with what to do by hand."""
    if shutil.which("apt-get") is None or not KEYRING.exists():
        raise StoreMissing(f"{package} comes from Debian's archive, which is not known here: put it on the PATH.")
    for suite in SUITES:
        folder = get_settings().servers_dir / "apt" / suite
        _configure(folder, suite)
        _apt(folder, "apt-get", "-qq", "update")
        candidate = _candidate(folder, package)
        if candidate is not None and (version is None or candidate.startswith(version)):
            return _unpack(folder, package, candidate, say)
    wanted = f" {version}" if version else ""
    raise StoreMissing(f"None of {', '.join(SUITES)} has {package}{wanted}: put it on the PATH yourself.")


def _archive() -> str:
    """Where this machine gets its own packages from."""
    for path in map(Path, SOURCES):
        found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?)\s+(\S+)", path.read_text(), re.M) if path.exists() else None
        if found:
            return found[1]
    raise StoreMissing("This machine names no archive of packages in /etc/apt: put the server on the PATH yourself.")


def _configure(folder: Path, suite: str) -> None:
    for part in ("lists/partial", "cache/archives/partial", "preferences.d"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb [signed-by={KEYRING}] {_archive()} {suite} main\n")
    (folder / "apt.conf").write_text(CONFIGURATION.format(folder=folder))


def _apt(folder: Path, *command: str, cwd: Path | None = None) -> str:
    environment = {**os.environ, "APT_CONFIG": str(folder / "apt.conf"), "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise StoreMissing(f"{' '.join(command)} failed: see the last lines.", done.stderr)
    return done.stdout


def _candidate(folder: Path, package: str) -> str | None:
    """Its upstream version, such as 8.1.1."""
    found = re.search(r"Candidate: (?:\d+:)?(\d[\w.]*)", _apt(folder, "apt-cache", "policy", package))
    return found[1] if found else None


def _unpack(folder: Path, package: str, version: str, say: Say) -> None:
    """Into a new folder that gets its name when it is whole."""
    root = get_settings().servers_dir / f"{package}-{version}"
    if root.exists():
        say(f"{package} {version} is there: {root}")
        return
    say(f"{package} {version}: fetching …")
    wanted = [name for name in (package, package.replace("-server", "-tools"), *LIBRARIES) if _candidate(folder, name)]
    packages = folder / "packages"
    shutil.rmtree(packages, ignore_errors=True)
    packages.mkdir()
    _apt(folder, "apt-get", "-qq", "download", *wanted, cwd=packages)
    fresh = root.with_name(f"{root.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o755)
    for file in sorted(packages.glob("*.deb")):
        _apt(folder, "dpkg-deb", "-x", str(file), str(fresh))
    # Servers run as another user: it must be able to enter.
    fresh.chmod(0o755)
    root.parent.chmod(0o711)
    fresh.replace(root)
    # Lists and packages are some thirty megabytes, and old by the next time.
    shutil.rmtree(folder)
    say(f"{package} {version} is ready: {root}")
