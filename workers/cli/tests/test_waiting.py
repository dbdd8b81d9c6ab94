"""`--wait` as a person sees it: on a terminal, interrupted, and while the service is away."""

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from loadstone_cli.api import Api
from loadstone_cli.login import Login
from loadstone_cli.watching import watch_run
from loadstone_cli_testing.calling import CommandLine
from loadstone_cli_testing.plans import SMALL
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent

Write = Callable[..., str]
PROGRAM = Path(sys.executable).with_name("loadstone")


def environment(url: str, token: str) -> dict[str, str]:
    return {**os.environ, "LOADSTONE_URL": url, "LOADSTONE_TOKEN": token, "COLUMNS": "150", "TERM": "xterm"}


def test_an_interrupt_leaves_the_run_alone_and_says_how_to_end_it(
    remote: Caller, api_url: str, plan_file: Write, tmp_path: Path
) -> None:
    plan_file(SMALL)
    command = [PROGRAM, "run", "plan.yaml", "--wait"]
    process = subprocess.Popen(
        command,
        env=environment(api_url, remote.token),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell's background jobs, and what they start, are deaf to it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads yet
    )
    assert process.stderr is not None
    told = process.stderr.readline() + process.stderr.readline()
    assert b"0 of 8 trials" in told
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"loadstone cancel" in rest
    assert b"Traceback" not in rest
    assert remote.get("/api/v1/runs").json()["items"][0]["status"] == "queued"


def test_a_terminal_sees_a_bar(remote: Caller, api_url: str, plan_file: Write, tmp_path: Path) -> None:
    plan_file(SMALL)
    agent = SimulatedAgent.enroll(remote)
    ours, theirs = pty.openpty()
    command = [PROGRAM, "run", "plan.yaml", "--wait", "--timeout", "600"]
    process = subprocess.Popen(
        command, env=environment(api_url, remote.token), cwd=tmp_path, stdout=theirs, stderr=theirs, stdin=theirs
    )
    os.close(theirs)
    seen = bytearray()

    def read() -> None:
        with suppress(OSError):
            while chunk := os.read(ours, 65536):
                seen.extend(chunk)

    reader = threading.Thread(target=read)
    reader.start()
    runs: list[dict[str, str]] = []
    while not runs:
        runs = remote.get("/api/v1/runs?status=queued").json()["items"]
    agent.execute_all(remote.get(f"/api/v1/runs/{runs[0]['id']}/trials").json()["items"][0]["id"])
    assert process.wait(120) == 0
    reader.join()
    os.close(ours)
    text = seen.decode(errors="replace")
    assert "8/8" in text
    assert "succeeded" in text
    assert "ops/s" in text.lower()


class AwayForAWhile(BaseHTTPRequestHandler):
    """A service whose stream breaks in the middle and which is then away for two answers."""

    asked: list[str]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.asked.append(self.path)
        if path.endswith("/events"):
            return self._stream()
        if len(self.asked) < 4:
            return self._answer(503, b"restarting", "text/plain")
        status = "succeeded" if len(self.asked) > 5 else "running"
        return self._answer(200, RUN.replace("running", status).encode(), "application/json")

    def _stream(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"id: 7\nevent: run\ndata: {RUN}\n\nid: 8\nevent: tri".encode())

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


RUN = (
    '{"id": "r1", "status": "running", "trial_count": 1, "eta_s": null, "wait_reason": null, "last_event_seq": 3, '
    '"status_counts": {"succeeded": 0, "failed": 0, "cancelled": 0, "crashed": 0}}'
)


def test_an_outage_is_waited_out_and_the_stream_goes_on_where_it_broke(
    loadstone: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loadstone_cli.api.FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr("loadstone_cli.watching.RETRY_S", 0.01)
    asked: list[str] = []
    handler = type("Handler", (AwayForAWhile,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        run = {"id": "r1", "status": "queued", "trial_count": 1, "last_event_seq": 3, "eta_s": None,
               "wait_reason": None,
               "status_counts": dict.fromkeys(("succeeded", "failed", "cancelled", "crashed"), 0)}  # fmt: skip
        with Api(Login(f"http://127.0.0.1:{server.server_port}", "lst_x")) as api:
            ended = watch_run(api, run)
        server.shutdown()
        thread.join()
    assert ended["status"] == "succeeded"
    streams = [path for path in asked if "/events" in path]
    assert streams[0].endswith("after=3")
    assert streams[1].endswith("after=7")
