"""FerretDB: MongoDB's protocol over SQLite. It is named FerretDB everywhere: it is not MongoDB."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from loadstone_agent.errors import StoreMissing
from loadstone_agent.settings import get_settings
from loadstone_agent.stores.base import NO_OPTIONS
from loadstone_agent.stores.mongodb import MongoDb
from loadstone_agent.stores.options import check_options
from loadstone_agent.stores.packages import Say

VERSION = "1.24.2"
SOURCE = "ferretdb_source"


class FerretDb(MongoDb):
    kind = "ferretdb"
    binary = "ferretdb"
    package = "ferretdb"
    by_hand = None

    def find_binary(self, options: Mapping[str, str] = NO_OPTIONS) -> str:
        built = _folder() / self.binary
        return str(built) if os.access(built, os.X_OK) else super().find_binary(options)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"version:\s*v?(\d+\.\d+\.\d+\S*)", printed)
        return found[1] if found else printed.strip()

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:  # noqa: ARG002
        check_options(self.kind, "FerretDB", options)
        pragmas = "&".join(f"_pragma={_pragma(name, value)}" for name, value in options.items())
        return [f"--listen-addr=127.0.0.1:{ports[0]}", f"--sqlite-url=file:./data/{'?' if pragmas else ''}{pragmas}"]

    def install(self, say: Say, version: str | None = None) -> None:
        """Built from its module: nobody packages it. Needs Go, and takes some minutes."""
        if version not in (None, VERSION):
            raise StoreMissing(f"FerretDB {version} is not known here: {VERSION} is.")
        if (_folder() / self.binary).exists():
            say(f"FerretDB {VERSION} is there: {_folder()}")
            return
        go = shutil.which("go", path=f"{os.environ.get('PATH', os.defpath)}:/usr/local/go/bin")
        if go is None:
            raise StoreMissing("Go 1.24 or newer is needed to build FerretDB: install it from go.dev, or golang-go.")
        say(f"FerretDB {VERSION}: building, some minutes the first time …")
        _build(go)
        say(f"FerretDB {VERSION} is ready: {_folder()}")


def _folder() -> Path:
    return get_settings().servers_dir / f"ferretdb-{VERSION}"


def _pragma(name: str, value: str) -> str:
    # Below zero it is KiB, above pages.
    return f"cache_size(-{value})" if name == "cache_size_kib" else f"{name}({value})"


def _build(go: str) -> None:
    """Into a new folder that gets its name when the program is whole."""
    fresh = _folder().with_name(f"{_folder().name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    # Servers run as another user: it must be able to enter.
    fresh.mkdir(mode=0o755, parents=True)
    fresh.parent.chmod(0o711)
    with resources.as_file(resources.files(__package__) / SOURCE) as source:
        command = [go, "build", "-trimpath", "-mod=readonly", "-o", str(fresh / "ferretdb"), "."]
        done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    if done.returncode != 0:
        raise StoreMissing("FerretDB could not be built: see the last lines.", done.stderr)
    fresh.replace(_folder())
