"""The live stream over a real server, while an agent works through another process."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
import redis
from loadstone.models import Run
from loadstone.runs import live
from loadstone_local.secrets_file import free_port
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, get_run, make_run, resolved_plan
from loadstone_testing.simulated_agent import SimulatedAgent, sample

START_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Event:
    seq: int
    kind: str
    data: dict[str, Any]
    heard_at: float


@dataclass
class Server:
    url: str
    process: subprocess.Popen[bytes]

    def events(
        self, client: Caller, run_id: object, after: int | None = None, header: int | None = None
    ) -> Iterator[Event]:
        headers = {"Authorization": f"Bearer {client.token}"}
        if header is not None:
            headers["Last-Event-ID"] = str(header)
        query = "" if after is None else f"?after={after}"
        url = f"{self.url}/api/v1/runs/{run_id}/events{query}"
        with httpx2.stream("GET", url, headers=headers, timeout=20) as response:
            assert response.status_code in (200, 204), response.read()
            lines: list[str] = []
            for line in response.iter_lines():
                if line and not line.startswith(":"):
                    lines.append(line.partition(": ")[2])
                elif lines:
                    yield Event(int(lines[0]), lines[1], json.loads(lines[2]), time.time())
                    lines = []


@contextmanager
def served() -> Iterator[Server]:
    """The api as it is served, in a process of its own."""
    port = free_port()
    env = {**os.environ, "LOADSTONE_PORT": str(port)}
    process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=env, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(url)
        yield Server(url, process)
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            httpx2.get(f"{url}/readyz").raise_for_status()
        except httpx2.HTTPError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


def wait_until_heard(redis_url: str, run: Run) -> None:
    """Until a stream of the run is open: where it begins is settled then."""
    deadline = time.monotonic() + START_TIMEOUT_S
    with redis.Redis.from_url(redis_url) as connection:
        while not connection.pubsub_numsub(live.channel(run.id))[0][1]:
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.fixture(scope="module")
def server(settings_in_environment: None) -> Iterator[Server]:
    with served() as server:
        yield server


def test_reconnecting_again_and_again_misses_and_repeats_nothing(client: Caller, server: Server) -> None:
    run = make_run(client.principal, resolved_plan(trials_per_point=3))
    agent = SimulatedAgent.enroll(client)
    worker = threading.Thread(target=agent.execute_all, args=[first_trial(client, run)])
    worker.start()
    heard: list[Event] = []
    for turn in itertools.count():
        last = heard[-1].seq if heard else 0
        by_header = {"header": last} if turn % 2 else {"after": last}
        # Each connection is given up after a few events, like a browser on a bad line.
        heard += itertools.islice(server.events(client, run.id, **by_header), 7)
        if heard[-1].kind == "run" and heard[-1].data["status"] == "succeeded":
            break
    worker.join()
    final = get_run(client, run)
    assert [event.seq for event in heard] == list(range(1, final["last_event_seq"] + 1))
    assert {event.kind for event in heard} == {"run", "trial", "sample", "telemetry", "point"}
    assert heard[-1].data["progress"] == 1.0
    points = [event.data for event in heard if event.kind == "point"]
    stored = {point["id"]: point for point in client.get(f"/api/v1/runs/{run.id}/points").json()["items"]}
    assert points[-1] == stored[points[-1]["id"]]
    assert list(server.events(client, run.id, after=final["last_event_seq"])) == []


def test_a_second_reaches_the_listener_at_once(client: Caller, server: Server, redis_url: str) -> None:
    run = make_run(client.principal)
    agent = SimulatedAgent.enroll(client)
    held = agent.claim(first_trial(client, run))
    agent.renew(held)
    heard: list[Event] = []

    def listen() -> None:
        heard.extend(itertools.islice(server.events(client, run.id), 10))

    listener = threading.Thread(target=listen)
    listener.start()
    wait_until_heard(redis_url, run)
    sent_at = []
    for seq in range(10):
        sent_at.append(time.time())
        agent.send(held, sample(seq))
        time.sleep(0.05)
    listener.join(60)
    assert [event.data["seq"] for event in heard] == list(range(10))
    assert heard[0].data["trial_id"] == held.trial_id
    delays_s = [event.heard_at - sent for event, sent in zip(heard, sent_at, strict=True)]
    assert sorted(delays_s)[5] < 0.5


def test_by_default_the_stream_begins_now_and_ends_with_the_run(client: Caller, server: Server, redis_url: str) -> None:
    run = make_run(client.principal)
    heard: list[Event] = []
    listener = threading.Thread(target=lambda: heard.extend(server.events(client, run.id)))
    listener.start()
    wait_until_heard(redis_url, run)
    client.post(f"/api/v1/runs/{run.id}/cancel")
    listener.join(60)
    assert [(event.kind, event.data["status"]) for event in heard] == [("run", "cancelled")]


def test_an_open_stream_does_not_keep_the_server_from_stopping(client: Caller) -> None:
    run = make_run(client.principal)
    with served() as server:
        events = server.events(client, run.id, after=0)
        assert next(events).seq == 1
        server.process.send_signal(signal.SIGTERM)
        with pytest.raises((httpx2.RemoteProtocolError, StopIteration)):
            next(events)
        # The stream itself would stay open until its run ends.
        assert server.process.wait(15) in (0, -signal.SIGTERM)


@pytest.mark.parametrize("query", ["?after=-1", "?after=x"])
def test_a_nonsense_position_is_refused(client: Caller, query: str) -> None:
    run = make_run(client.principal)
    assert client.get(f"/api/v1/runs/{run.id}/events{query}").status_code == 422
    assert client.get(f"/api/v1/runs/{run.id}/events", headers={"Last-Event-ID": "x"}).status_code == 422
