"""A scratch stack as tests see it: its public API, and its processes by the supervisor's family tree."""

import json
import time
from dataclasses import dataclass
from typing import Any

import httpx2
import psutil

from loadstone_local.scratch_stack import ScratchStack

TERMINAL = {"succeeded", "failed", "cancelled", "crashed"}
STORES = {"memcached", "redis-server"}


@dataclass(frozen=True)
class LiveStack:
    """The public API by HTTP, and the stack's processes by the supervisor's family tree."""

    stack: ScratchStack
    client: httpx2.Client

    def submit(self, seconds: float, **changes: Any) -> dict[str, Any]:
        plan = {
            "name": "live",
            "targets": [{"kind": "redis", "profile": "none"}],
            "workload": {
                "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
                "operations": [{"kind": "get", "weight": 1}],
            },
            "load": {"kind": "open", "connections": 4, "rate_per_s": 1000, "arrivals": "constant"},
            "axes": [],
            "trials_per_point": 1,
            "stop": {"seconds": seconds},
            **changes,
        }
        answer = self.client.post("/runs", json={"plan": plan})
        assert answer.status_code == 201, answer.text
        run: dict[str, Any] = answer.json()
        return run

    def get(self, path: str) -> Any:
        return self.client.get(path).raise_for_status().json()

    def wait_for_samples(self, run_id: str, count: int = 2, attempt: int = 1, within_s: float = 20) -> str:
        """Until this attempt of the running trial has `count` samples stored; returns the trial's id."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            trial = self.get(f"/runs/{run_id}")["current_trial"]
            if trial is not None and trial["attempt"] == attempt:
                samples = self.get(f"/trials/{trial['id']}/samples?attempt={attempt}")["items"]
                if len(samples) >= count:
                    return str(trial["id"])
            time.sleep(0.1)
        raise AssertionError(f"run {run_id} had no {count} samples within {within_s} s: {self.get(f'/runs/{run_id}')}")

    def wait_for_end(self, run_id: str, within_s: float = 60) -> dict[str, Any]:
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            run: dict[str, Any] = self.get(f"/runs/{run_id}")
            if run["status"] in TERMINAL:
                return run
            time.sleep(0.1)
        raise AssertionError(f"run {run_id} did not end within {within_s} s: {run['status']} {run['status_counts']}")

    def trial(self, run_id: str) -> dict[str, Any]:
        """The only trial of a run, with everything known of it."""
        trial: dict[str, Any] = self.get(f"/trials/{self.get(f'/runs/{run_id}/trials')['items'][0]['id']}")
        return trial

    def family(self) -> list[psutil.Process]:
        pid = json.loads((self.stack.state / "stack.pid").read_text())["pid"]
        family: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
        return family

    def service(self, words: str) -> psutil.Process:
        """The supervisor's own child whose command line holds `words`."""
        pid = json.loads((self.stack.state / "stack.pid").read_text())["pid"]
        return next(one for one in psutil.Process(pid).children() if words in " ".join(one.cmdline()))

    def engines(self) -> list[psutil.Process]:
        return [one for one in self.family() if one.name().startswith("loadstone-engin")]

    def stores(self) -> list[psutil.Process]:
        """Managed stores: not the broker, which is the supervisor's own child."""
        agent = self.service("loadstone-agent")
        return [one for one in agent.children(recursive=True) if one.name() in STORES]


def wait_until_gone(processes: list[psutil.Process], within_s: float) -> list[psutil.Process]:
    """The processes that still run after `within_s`."""
    _, alive = psutil.wait_procs(processes, timeout=within_s)
    return [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
