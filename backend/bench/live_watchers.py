"""What do 50 people who watch one live run cost the api? One JSON line a figure, on servers of its own.

An agent reports a second of two operations every second, as the native engine's agent does. The api's CPU time is read
from /proc, first without a watcher, then with all of them; the difference is what watching costs.
"""

import os
import random
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast
from urllib.parse import urlsplit

from fastapi.testclient import TestClient
from loadstone.db import dispose_engine
from loadstone.principal import Principal
from loadstone_testing.callers import Caller
from loadstone_testing.factories import make_principal, make_team, make_token, plan_definition
from loadstone_testing.simulated_agent import SimulatedAgent, measured, sample
from serving import Api, Servers, own_servers, report, served

WATCHERS = 50
SPAN_S = 20.0
SETTLE_S = 3.0
LIMIT_SHARE = 0.20


class Watchers:
    """Listeners of one run's stream, all read by one thread that keeps nothing but counts."""

    def __init__(self, url: str, run_id: str, token: str, count: int) -> None:
        self._stop = threading.Event()
        self._selector = selectors.DefaultSelector()
        self.samples_seen = [0] * count
        address = (urlsplit(url).hostname, urlsplit(url).port)
        request = (
            f"GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nHost: {address[0]}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        for number in range(count):
            connection = socket.create_connection(cast("tuple[str, int]", address))
            connection.sendall(request.encode())
            self._selector.register(connection, selectors.EVENT_READ, number)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while not self._stop.is_set():
            for key, _ in self._selector.select(timeout=0.2):
                chunk = cast("socket.socket", key.fileobj).recv(1 << 16)
                self.samples_seen[key.data] += chunk.count(b"event: sample")

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            cast("socket.socket", key.fileobj).close()
        self._selector.close()


@contextmanager
def live_run(api: Api, principal: Principal) -> Iterator[str]:
    """A run whose trial is under way: a thread plays its agent until the block ends."""
    caller = Caller(cast("TestClient", api.client), principal, make_token(principal))
    agent = SimulatedAgent.enroll(caller)
    run_id = caller.post("/api/v1/runs", json={"plan": plan_definition(trials_per_point=1)}).json()["id"]
    trial_id = caller.get(f"/api/v1/runs/{run_id}/trials").json()["items"][0]["id"]
    held = agent.claim(trial_id)
    agent.renew(held, "running")
    stop = threading.Event()

    def report_seconds() -> None:
        for seq in range(1_000_000):
            second = sample(seq, 50_000)
            writes = measured("set", 5_000, draw=random.Random(seq))
            agent.send(held, second.model_copy(update={"operations": [*second.operations, writes]}))
            agent.renew(held)
            if stop.wait(1.0):
                return

    thread = threading.Thread(target=report_seconds)
    thread.start()
    yield run_id
    stop.set()
    thread.join()


def cpu_share(api: Api) -> float:
    """Of one core, over `SPAN_S`."""
    time.sleep(SETTLE_S)
    used_s, started_at = api.cpu_s(), time.monotonic()
    time.sleep(SPAN_S)
    return (api.cpu_s() - used_s) / (time.monotonic() - started_at)


def admin(servers: Servers, database_url: str) -> Principal:
    """Of a new team."""
    os.environ.update(servers.environment(database_url))
    return make_principal(make_team("bench"))


def main() -> None:
    with own_servers() as servers:
        database_url = servers.make_database("watchers")
        principal = admin(servers, database_url)
        token = make_token(principal)
        with served(servers, database_url, token) as api, live_run(api, principal) as run_id:
            alone = cpu_share(api)
            watchers = Watchers(api.url, run_id, token, WATCHERS)
            watched = cpu_share(api)
            watchers.close()
        dispose_engine(close=True)
    fewest = min(watchers.samples_seen)
    method = (
        f"CPU of the api process with {WATCHERS} listeners ({watched:.1%} of a core) less that without any "
        f"({alone:.1%}), {SPAN_S:.0f} s each, one sample of two operations a second; "
        f"every listener got at least {fewest} samples"
    )
    report("watching_cpu_share", watched - alone, "ratio", LIMIT_SHARE, method, WATCHERS)


if __name__ == "__main__":
    main()
