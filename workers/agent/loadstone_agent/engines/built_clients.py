"""Client libraries of other languages: PHP as it is installed, Java and C built on this host by `engines install`."""

import hashlib
import re
import shutil
import subprocess
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.client import ClientAdapter, write_input
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.tool import Command
from loadstone_agent.errors import EngineMissing
from loadstone_agent.stores.packages import Say

SOURCES = Path(__file__).parent / "clients"
MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
BUILD_TIMEOUT_S = 600


class PhpRedis(ClientAdapter):
    info = ENGINES["php-redis"]
    packages = ("php-cli", "php-redis")

    def find(self) -> Found:
        binary = self.which("php")
        asked = "echo (extension_loaded('pcntl') ? phpversion('redis') : ''), ' ', PHP_VERSION;"
        printed = subprocess.run([binary, "-r", asked], capture_output=True, text=True, timeout=10).stdout
        redis, _, php = printed.strip().partition(" ")
        if not php:
            raise self.missing()
        return Found(binary, f"{redis} (PHP {php})")

    def command(self, job: PhaseJob) -> Command:
        write_input(job)
        return Command([job.found.binary, str(SOURCES / "php_redis.php")])


class BuiltClient(ClientAdapter):
    """Kept in a folder named after its source, so that a new version of the agent builds it anew."""

    sources: ClassVar[tuple[Path, ...]]
    family: ClassVar[str]
    """Clients of one family are built together."""

    @property
    def folder(self) -> Path:
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(self.sources))).hexdigest()
        return self._root / f"{self.family}-{digest[:12]}"

    def version_kept(self) -> str:
        """Raises EngineMissing."""
        kept = self.folder / "version"
        if not kept.is_file():
            raise self.missing()
        return kept.read_text().strip()

    @abstractmethod
    def can_build(self) -> bool:
        """Whether compiler and headers are there, from packages or otherwise."""

    @abstractmethod
    def build_into(self, folder: Path, say: Say) -> str:
        """The version of the library, or of the language where jars tell their own. Raises EngineMissing."""

    def install(self, say: Say) -> None:
        if (self.folder / "version").is_file():
            say(f"{self.info.title} is there: {self.folder}")
            return
        if not self.can_build():
            super().install(say)
        fresh = self.folder.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        version = self.build_into(fresh, say)
        (fresh / "version").write_text(version + "\n")
        shutil.rmtree(self.folder, ignore_errors=True)
        fresh.replace(self.folder)

    def run_step(self, command: Sequence[str], folder: Path, say: Say) -> None:
        """Raises EngineMissing with what the command said."""
        say(" ".join(command))
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S)
        if done.returncode != 0:
            said = f"{done.stdout}\n{done.stderr}"
            raise EngineMissing(f"{command[0]} failed, so {self.info.title} cannot be built: see what it said.", said)


class CHiredis(BuiltClient):
    info = ENGINES["c-hiredis"]
    family = "c-hiredis"
    packages = ("gcc", "libc6-dev", "libhiredis-dev")
    sources = (SOURCES / "c_hiredis.c",)

    def find(self) -> Found:
        return Found(str(self.folder / "client"), self.version_kept())

    def command(self, job: PhaseJob) -> Command:
        write_input(job)
        return Command([job.found.binary])

    def can_build(self) -> bool:
        return shutil.which("gcc") is not None and Path("/usr/include/hiredis/hiredis.h").is_file()

    def build_into(self, folder: Path, say: Say) -> str:
        libraries = ["-lhiredis", "-lpthread"]
        self.run_step(["gcc", "-O2", "-o", "client", str(self.sources[0]), *libraries], folder, say)
        asked = ["gcc", "-dM", "-E", "-include", "hiredis/hiredis.h", "-x", "c", "/dev/null"]
        printed = subprocess.run(asked, capture_output=True, text=True, timeout=30).stdout
        found = dict(re.findall(r"^#define HIREDIS_(MAJOR|MINOR|PATCH) (\d+)", printed, re.MULTILINE))
        return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH"))


class JavaClient(BuiltClient):
    packages = ("default-jdk-headless", "maven")
    sources = tuple(sorted((SOURCES / "java").iterdir()))
    family = "java"
    opening: ClassVar[str]
    jar: ClassVar[str]
    data_note = "Java begins each phase cold: compiled code comes with the first seconds, so give a trial at least ten."

    def find(self) -> Found:
        java = self.version_kept()
        jar = next((self.folder / "lib").glob(f"{self.jar}-*.jar")).stem.removeprefix(f"{self.jar}-")
        return Found(self.which("java"), f"{jar} (Java {java})")

    def command(self, job: PhaseJob) -> Command:
        write_input(job)
        path = f"{self.folder / 'classes'}:{self.folder / 'lib'}/*"
        return Command([job.found.binary, "-Xss512k", "-cp", path, "Client", self.opening])

    def can_build(self) -> bool:
        return all(shutil.which(program) for program in ("java", "javac", "mvn"))

    def build_into(self, folder: Path, say: Say) -> str:
        for source in self.sources:
            shutil.copy(source, folder)
        self.run_step(["mvn", "-q", "-B", MAVEN_COPY, "-DoutputDirectory=lib", "-f", "pom.xml"], folder, say)
        programs = sorted(path.name for path in folder.glob("*.java"))
        self.run_step(["javac", "-d", "classes", "-cp", "lib/*", *programs], folder, say)
        java = subprocess.run(["java", "-version"], capture_output=True, text=True, timeout=30).stderr
        release = re.search(r'"([^"]+)"', java)
        return release[1] if release else "of unknown version"


class JavaJedis(JavaClient):
    info = ENGINES["java-jedis"]
    opening = "JedisLibrary"
    jar = "jedis"


class JavaMemcached(JavaClient):
    info = ENGINES["java-memcached"]
    opening = "MemcachedLibrary"
    jar = "xmemcached"
