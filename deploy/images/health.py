"""Health of one container, for its health check: `python -I -S health.py api|control|beat|agent`.

Standard library only and short, because it runs every few seconds beside benchmarks. Exit code 1 with the reason.
"""

import fcntl
import json
import os
import socket
import sys
import time
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

READY_REQUEST = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
CONTROL_QUEUE = "control"
BROKER_PORT = 6379
UNHEARD_MAX = 30
"""Beat rings every two seconds: so many unheard doorbells mean that nobody has listened for a minute."""
BEAT_SILENT_MAX_S = 600
"""Beat writes its schedule down every three minutes."""
ESTABLISHED = "01"


def check_api() -> str | None:
    with socket.create_connection(("127.0.0.1", int(os.environ["LOADSTONE_PORT"])), timeout=5) as connection:
        connection.sendall(READY_REQUEST)
        status_line = connection.makefile("rb").readline().decode().strip()
    return None if " 200" in status_line else f"/readyz answered: {status_line}"


def _command(*words: str) -> bytes:
    parts = [f"*{len(words)}\r\n", *(f"${len(word.encode())}\r\n{word}\r\n" for word in words)]
    return "".join(parts).encode()


def _connect(broker: SplitResult) -> socket.socket:
    connection = socket.create_connection((broker.hostname, broker.port or BROKER_PORT), timeout=5)
    if broker.scheme == "redis":
        return connection
    # Imported only where it is needed: that takes longer than the check.
    import ssl  # noqa: PLC0415

    context = ssl.create_default_context(cafile=os.environ.get("LOADSTONE_BROKER_CA_FILE") or None)
    return context.wrap_socket(connection, server_hostname=broker.hostname)


def check_control() -> str | None:
    """Doorbells do not pile up, so a worker hears them."""
    broker = urlsplit(os.environ["LOADSTONE_BROKER_URL"])
    user, password = unquote(broker.username or "default"), unquote(broker.password or "")
    with _connect(broker) as connection:
        answers = connection.makefile("rb")
        connection.sendall(_command("AUTH", user, password) + _command("LLEN", CONTROL_QUEUE))
        if not answers.readline().startswith(b"+OK"):
            return "the broker refused the password"
        unheard = int(answers.readline().strip().removeprefix(b":"))
    return None if unheard <= UNHEARD_MAX else f"{unheard} doorbells wait unheard"


def check_beat() -> str | None:
    written_at = max((file.stat().st_mtime for file in Path("/tmp").glob("beat-schedule*")), default=0.0)
    silent_s = time.time() - written_at
    return None if silent_s <= BEAT_SILENT_MAX_S else f"the schedule was not written for {silent_s:.0f} s"


def check_agent() -> str | None:
    """The agent holds its directory and stands in connection with the broker."""
    with (Path(os.environ["LOADSTONE_AGENT_DIR"]) / "agent.lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return "no agent runs"
        except BlockingIOError:
            pass
    identity = json.loads((Path(os.environ["LOADSTONE_AGENT_DIR"]) / "identity.json").read_bytes())
    broker_port = f":{urlsplit(identity['broker_url']).port or BROKER_PORT:04X}"
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        remote, state = line.split()[2:4]
        if remote.endswith(broker_port) and state == ESTABLISHED:
            return None
    return "there is no connection to the broker"


CHECKS = {"api": check_api, "control": check_control, "beat": check_beat, "agent": check_agent}


def main(name: str) -> int:
    try:
        fault = CHECKS[name]()
    except (OSError, ValueError) as error:
        fault = f"{type(error).__name__}: {error}"
    if fault is not None:
        sys.stderr.write(f"{name}: {fault}\n")
    return 0 if fault is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
