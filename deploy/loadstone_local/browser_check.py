"""The browser test on a live stack of its own: other state, other ports, stopped afterwards."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from loadstone_local.console import say
from loadstone_local.packages import find_program
from loadstone_local.paths import FRONTEND, REPOSITORY, in_venv
from loadstone_local.secrets_file import free_port

SCREENSHOTS = REPOSITORY / ".loadstone/screenshots"


def _show_logs(state: Path) -> None:
    for log in sorted((state / "log").glob("*.log")):
        say(f"--- {log.name}\n{log.read_text(errors='replace')[-6000:]}")


def main(arguments: list[str]) -> int:
    state = Path(tempfile.mkdtemp(prefix="loadstone-browser-"))
    # 755: the database server runs as an ordinary user and must reach its data.
    state.chmod(0o755)
    port = free_port()
    env = {
        **os.environ,
        "LOADSTONE_STATE_DIR": str(state),
        "LOADSTONE_PORT": str(port),
        "PYTHONPATH": str(REPOSITORY / "deploy"),
    }
    local = [str(in_venv("python")), "-m"]
    command = [str(find_program("node")), "e2e/run.mjs", "--url", f"http://127.0.0.1:{port}",
               "--credentials", str(state / "demo.json"), "--screenshots", str(SCREENSHOTS), *arguments]  # fmt: skip
    try:
        code = subprocess.run([*local, "loadstone_local.demo"], env=env).returncode
        if code == 0:
            code = subprocess.run(command, cwd=FRONTEND, env=env).returncode
        if code != 0:
            _show_logs(state)
    finally:
        subprocess.run([*local, "loadstone_local.stack_process"], env=env)
        shutil.rmtree(state, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
