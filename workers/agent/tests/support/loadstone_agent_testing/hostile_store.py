"""A store that was taken over: it tries what code inside a store may never do, and ends.

Run under Memlink's name, with its orders written into `ATTACK`. It prints one JSON line of what it saw, and is judged
by what it left or read, not by what it says went wrong.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

ATTACK = "{}"
"""What to try, as JSON; the test puts it here."""


def attempt(action: Any) -> str:
    try:
        return str(action())
    except OSError as error:
        return f"refused: {error.strerror}"


def connect(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), 1):
        return "connected"


def listen(port: int) -> str:
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        return "listening"


def write(path: str) -> str:
    Path(path).write_text("planted")
    return "written"


def read_memory(process: int) -> str:
    with Path(f"/proc/{process}/mem").open("rb") as memory:
        return str(memory.read(16))


def attach(process: int) -> str:
    ptrace_attach = 16
    return str(ctypes.CDLL(None, use_errno=True).ptrace(ptrace_attach, process, None, None))


def run_dropped_program() -> str:
    program = Path("dropped")
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o755)
    subprocess.run([str(program.absolute())], check=True)
    return "executed"


def leave_behind(mark: str) -> str:
    """A double fork into a session of its own."""
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                null = os.open(os.devnull, os.O_RDWR)
                for descriptor in (0, 1, 2):
                    os.dup2(null, descriptor)
                os.execv("/bin/sh", ["sh", "-c", f"sleep 300; : {mark}"])
            os._exit(0)
    return "left"


def fork_many(most: int) -> str:
    children = []
    try:
        while len(children) < most:
            pid = os.fork()
            if pid == 0:
                time.sleep(30)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    count = len(children)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return str(count)


def main() -> None:
    told = json.loads(ATTACK)
    seen = {f"read {path}": attempt(Path(path).read_text) for path in told["read"]}
    seen |= {f"list {path}": attempt(lambda path=path: list(Path(path).iterdir())) for path in told["list"]}
    seen |= {f"write {path}": attempt(lambda path=path: write(path)) for path in told["write"]}
    for process in told["processes"]:
        seen[f"environ {process}"] = attempt(Path(f"/proc/{process}/environ").read_text)
        seen[f"memory {process}"] = attempt(lambda process=process: read_memory(process))
        seen[f"attach {process}"] = attempt(lambda process=process: attach(process))
        seen[f"kill {process}"] = attempt(lambda process=process: os.kill(process, signal.SIGKILL))
    seen |= {f"connect {port}": attempt(lambda port=port: connect(port)) for port in told["connect"]}
    seen |= {f"listen {port}": attempt(lambda port=port: listen(port)) for port in told["listen"]}
    seen["dropped program"] = attempt(run_dropped_program)
    seen["privileges"] = attempt(lambda: Path("/proc/self/status").read_text().split("NoNewPrivs:")[1].split()[0])
    seen["user"] = str(os.getuid())
    seen["forks"] = fork_many(told["forks"])
    seen["left behind"] = leave_behind(told["mark"])
    print(json.dumps(seen), flush=True)
    # Long enough for the orphans to be there; ending tells the agent that the store has died.
    time.sleep(0.3)


if __name__ == "__main__":
    main()
