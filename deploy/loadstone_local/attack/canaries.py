"""Traps on this machine: a file that appears, a secret that is read, a library that is loaded betray an attack."""

import os
import secrets
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from loadstone_local.attack.outcome import NotTried

PREFIX = "loadstone-canary-"
LIBRARY = """
#include <fcntl.h>
#include <unistd.h>
/* Runs when a server loads this library, whatever it does with it afterwards. */
__attribute__((constructor)) static void loaded(void) {{
    close(open("{open_file}", O_CREAT | O_WRONLY, 0644));
    close(open("{prefix}library", O_CREAT | O_WRONLY, 0644));
}}
"""


@dataclass
class Canaries:
    """`folder` may be written by everybody; `secret` may be read by everybody: what guards them is the store alone."""

    folder: Path
    library: Path
    secret: str = field(default_factory=lambda: f"canary-secret-{secrets.token_hex(12)}")
    _watched: set[Path] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def secret_file(self) -> Path:
        return self.folder / "secret"

    def path(self, name: str) -> Path:
        return self.folder / f"{PREFIX}{name}"

    def watch(self, stores: Path) -> None:
        """Data directories of stores are wiped with the trial, so files in them are looked for all the time."""
        self._watched.add(stores)

    def betrayed(self, name: str) -> bool:
        self._look()
        return self.path(name).exists() or f"{PREFIX}{name}" in self._seen

    def forget(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)
        self._seen.discard(f"{PREFIX}{name}")

    def look_around(self) -> None:
        """Runs in a thread of its own until the canaries go."""
        while not self._stop.wait(0.03):
            self._look()

    def _look(self) -> None:
        for stores in list(self._watched):
            for depth in ("*/", "*/*/"):
                with suppress(OSError):
                    self._seen.update(path.name for path in stores.glob(f"{depth}{PREFIX}*"))

    def end(self) -> None:
        self._stop.set()


@contextmanager
def set_canaries() -> Iterator[Canaries]:
    home = Path(tempfile.mkdtemp(prefix="loadstone-attack-", dir="/var/tmp"))
    home.chmod(0o755)
    folder = home / "canaries"
    folder.mkdir()
    folder.chmod(0o777)
    canaries = Canaries(folder, _build_library(home, folder))
    canaries.secret_file.write_text(canaries.secret + "\n")
    canaries.secret_file.chmod(0o644)
    watcher = threading.Thread(target=canaries.look_around, name="canaries", daemon=True)
    watcher.start()
    try:
        yield canaries
    finally:
        canaries.end()
        watcher.join(5)
        shutil.rmtree(home, ignore_errors=True)


def _build_library(home: Path, folder: Path) -> Path:
    source, library = home / "evil.c", home / "evil.so"
    source.write_text(LIBRARY.format(open_file=folder / f"{PREFIX}library", prefix=PREFIX))
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise NotTried("the library that stores are made to load needs a C compiler: install gcc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True, env=dict(os.environ))
    library.chmod(0o755)
    return library
