"""Runs a small plan through a running composition, as a person's browser and scripts would.

`compose_trial.py URL`; e-mail, password and host key come in `LOADSTONE_*`. Standard library only: it runs on machines
that have Docker and nothing of Loadstone installed. The last line says what succeeded; exit code 1 says what did not.
"""

import json
import os
import re
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from typing import Any

TERMINAL = ("succeeded", "failed", "cancelled", "crashed")
ONLINE_WITHIN_S = 60.0
RUN_WITHIN_S = 180.0
CONNECTIONS = [1, 8]
PLAN = {
    "name": "Through the containers",
    "targets": [
        {"kind": "memcached", "profile": "default", "options": {}},
        {"kind": "redis", "profile": "none", "options": {}},
    ],
    "workload": {
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 1}],
        "access": {"kind": "uniform"},
    },
    "load": {"kind": "closed", "connections": 1, "pipeline": 1},
    "axes": [{"parameter": "connections", "values": CONNECTIONS}],
    "trials_per_point": 1,
    "stop": {"seconds": 1},
}
POLICY_HEADERS = (
    "Content-Security-Policy",
    "X-Content-Type-Options",
    "Referrer-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
)


class CheckFailed(Exception):
    """The composition does not do what it should."""


class Client:
    """The public API with a session cookie, as the page uses it."""

    def __init__(self, url: str) -> None:
        self.url = url
        # No proxy of the environment: the address is on loopback.
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )

    def open(self, method: str, path: str, body: Any = None, timeout_s: float = 30.0) -> Any:
        headers = {"Content-Type": "application/json", "Origin": self.url}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            return self._opener.open(request, timeout=timeout_s)
        except urllib.error.HTTPError as error:
            raise CheckFailed(f"{method} {path} answered {error.code}: {error.read().decode()}") from error

    def call(self, method: str, path: str, body: Any = None) -> Any:
        with self.open(method, f"/api/v1{path}", body) as answer:
            return json.load(answer)


def wait_for(what: str, within_s: float, look: Callable[[], Any], is_done: Callable[[Any], bool]) -> Any:
    """Look until it is done; what was seen then."""
    deadline = time.monotonic() + within_s
    seen = look()
    while not is_done(seen):
        if time.monotonic() > deadline:
            raise CheckFailed(f"{what} did not happen within {within_s:.0f} s; seen last: {json.dumps(seen)[:4000]}")
        time.sleep(0.3)
        seen = look()
    return seen


def check_pages(client: Client) -> None:
    """The pages that nginx serves carry the policy that the api sends with its answers."""
    with client.open("GET", "/") as page, client.open("GET", "/api/v1/openapi.json") as answer:
        content = page.read().decode()
        pairs = {name: (page.headers[name], answer.headers[name]) for name in POLICY_HEADERS}
    differing = [name for name, (by_page, by_api) in pairs.items() if by_page is None or by_page != by_api]
    if '<div id="root">' not in content:
        raise CheckFailed(f"The page is not the application: {content[:500]}")
    program = re.search(r'src="(/assets/[^"]+)"', content)
    if program is None:
        raise CheckFailed(f"The page names no program: {content[:500]}")
    with client.open("GET", program[1]) as asset:
        if "immutable" not in (asset.headers["Cache-Control"] or ""):
            raise CheckFailed(f"{program[1]} may not be kept by browsers: {asset.headers['Cache-Control']}")
    if differing:
        raise CheckFailed(f"nginx and the api differ in {', '.join(differing)}: see deploy/nginx/security-headers.conf")


def online_agent(client: Client) -> dict[str, Any]:
    agents: list[dict[str, Any]] = wait_for(
        "an agent online",
        ONLINE_WITHIN_S,
        lambda: client.call("GET", "/agents")["items"],
        lambda agents: any(agent["state"] == "online" for agent in agents),
    )
    return next(agent for agent in agents if agent["state"] == "online")


def events_of(stream: Iterator[bytes]) -> Iterator[str]:
    for line in stream:
        if line.startswith(b"event:"):
            yield line.split(b":", 1)[1].strip().decode()


class LiveStream:
    """Follows a run's live stream and notes when the first sample came."""

    def __init__(self, client: Client, run_id: str) -> None:
        self.first_sample_at: float | None = None
        self._client = client
        self._path = f"/api/v1/runs/{run_id}/events?after=0"
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        with self._client.open("GET", self._path, timeout_s=RUN_WITHIN_S) as stream:
            for event in events_of(stream):
                if event == "sample" and self.first_sample_at is None:
                    self.first_sample_at = time.monotonic()


def measure(client: Client) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Execute the plan; the ended run and its points."""
    run = client.call("POST", "/runs", {"plan": PLAN})
    live = LiveStream(client, run["id"])
    ended = wait_for(
        "the end of the run",
        RUN_WITHIN_S,
        lambda: client.call("GET", f"/runs/{run['id']}"),
        lambda seen: seen["status"] in TERMINAL,
    )
    ended_at = time.monotonic()
    if ended["status"] != "succeeded":
        trials = client.call("GET", f"/runs/{run['id']}/trials?limit=50")["items"]
        raise CheckFailed(f"The run {ended['status']}: {ended['error']} {json.dumps([t['error'] for t in trials])}")
    # A stream that nginx held back would arrive in one piece at the end.
    if live.first_sample_at is None or live.first_sample_at > ended_at - 1:
        raise CheckFailed("No sample came over the live stream while the run went on")
    return ended, client.call("GET", f"/runs/{run['id']}/points")["items"]


def check_points(points: list[dict[str, Any]]) -> None:
    expected = len(CONNECTIONS) * len(PLAN["targets"])  # type: ignore[arg-type]
    if len(points) != expected:
        raise CheckFailed(f"{expected} points were expected: {json.dumps(points)}")
    for point in points:
        total = point["total"]
        if total is None or total["throughput_per_s"] <= 0 or total["errors"] or not total["response_time_ns"]["p99"]:
            raise CheckFailed(f"A point without a measurement: {json.dumps(point)}")


def main(url: str) -> int:
    client = Client(url)
    try:
        check_pages(client)
        credentials = {"email": os.environ["LOADSTONE_ADMIN_EMAIL"], "password": os.environ["LOADSTONE_ADMIN_PASSWORD"]}
        client.call("POST", "/session", credentials)
        agent = online_agent(client)
        if agent["host_key"] != os.environ["LOADSTONE_HOST_KEY"]:
            raise CheckFailed(f"The agent does not know its host: {agent['host_key']}")
        run, points = measure(client)
        check_points(points)
    except (CheckFailed, OSError) as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return 1
    succeeded = run["status_counts"]["succeeded"]
    sys.stdout.write(f"{succeeded} of {run['trial_count']} trials succeeded\n")
    return 0 if succeeded == run["trial_count"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
