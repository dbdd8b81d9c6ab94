"""A live stack of its own for tests and benchmarks: other state, another port, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loadstone_local.console import StepFailed, say
from loadstone_local.paths import REPOSITORY, in_venv
from loadstone_local.secrets_file import free_port


@dataclass(frozen=True)
class ScratchStack:
    url: str
    state: Path
    environment: dict[str, str]

    @property
    def demo_file(self) -> Path:
        return self.state / "demo.json"

    def show_logs(self) -> None:
        for log in sorted((self.state / "log").glob("*.log")):
            say(f"--- {log.name}\n{log.read_text(errors='replace')[-6000:]}")


def _local(environment: dict[str, str], *arguments: str) -> int:
    return subprocess.run([in_venv("python"), "-m", *arguments], env=environment).returncode


@contextmanager
def scratch_stack(*demo_arguments: str) -> Iterator[ScratchStack]:
    """A stack started by the demo's own code. Errors: `StepFailed` when it does not come up."""
    state = Path(tempfile.mkdtemp(prefix="loadstone-scratch-"))
    # 755: the database server runs as an ordinary user and must reach its data.
    state.chmod(0o755)
    port = free_port()
    environment = {
        **os.environ,
        "LOADSTONE_STATE_DIR": str(state),
        "LOADSTONE_PORT": str(port),
        "PYTHONPATH": str(REPOSITORY / "deploy"),
    }
    stack = ScratchStack(f"http://127.0.0.1:{port}", state, environment)
    try:
        if _local(environment, "loadstone_local.demo", *demo_arguments) != 0:
            stack.show_logs()
            raise StepFailed("the scratch stack did not come up")
        yield stack
    finally:
        _local(environment, "loadstone_local.stack_process")
        shutil.rmtree(state, ignore_errors=True)
