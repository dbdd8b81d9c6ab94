"""Follows a run to its end: by its live stream, and by asking where the stream is away."""

import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import httpx2
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from loadstone_cli.api import Api
from loadstone_cli.errors import CommandFailed, Exit
from loadstone_cli.output import note, notes, number, parameters, quantile_microseconds, span

TERMINAL = {"succeeded", "failed", "cancelled", "crashed"}
RETRY_S = 1.0
SILENCE_S = 60.0
"""The service says something every 15 s, and be it that it is there."""
OUTAGE_S = 300.0
OUTAGE_PAUSE_S = 5.0
SAID_EVERY_S = 15.0
"""Without a terminal, a line at most so often."""


def watch_run(api: Api, run: dict[str, Any], timeout_s: float | None = None) -> dict[str, Any]:
    """The run as it ended. Errors: `CommandFailed` (`UNDECIDED`) when it is not over within `timeout_s`."""
    deadline = time.monotonic() + timeout_s if timeout_s is not None else None
    view = _Bar(run) if sys.stderr.isatty() else _Lines(run)
    with view:
        for state in _states(api, run, view, deadline):
            view.show(state)
            if state["status"] in TERMINAL:
                break
            if deadline is not None and time.monotonic() > deadline:
                message = f"The run is still {state['status']} after {span(timeout_s)}."
                raise CommandFailed(Exit.UNDECIDED, "timeout", message)
    return api.get(f"/runs/{run['id']}")


def _states(api: Api, run: dict[str, Any], view: "_View", deadline: float | None) -> Iterator[dict[str, Any]]:
    """The run whenever there is news of it. A stream that breaks is opened again after the last event it told."""
    state, seq = run, run["last_event_seq"]
    yield state
    while True:
        try:
            with api.events(f"/runs/{run['id']}/events", seq, _read_timeout_s(deadline)) as lines:
                for told_seq, kind, data in _events(lines):
                    seq = told_seq
                    if kind == "run":
                        state = data
                    else:
                        view.hear(kind, data)
                    yield state
        except httpx2.TransportError:
            time.sleep(RETRY_S)
        state = _ask(api, run["id"])
        yield state


def _read_timeout_s(deadline: float | None) -> float:
    left_s = SILENCE_S if deadline is None else deadline - time.monotonic()
    return min(SILENCE_S, max(left_s, RETRY_S))


def _ask(api: Api, run_id: str) -> dict[str, Any]:
    """The run; an outage is waited out, as the run itself does not end by it."""
    gives_up_at = time.monotonic() + OUTAGE_S
    while True:
        try:
            found = api.get(f"/runs/{run_id}")
        except CommandFailed as failed:
            if failed.code not in ("unreachable", "unavailable") or time.monotonic() > gives_up_at:
                raise
            note(f"{failed.message} Trying again.")
            time.sleep(OUTAGE_PAUSE_S)
        else:
            return found


def _events(lines: Iterator[str]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """`(number, kind, data)` of server-sent events. A comment that keeps the connection alive is no news."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif "data" in fields:
            yield int(fields["id"]), fields.get("event", "message"), json.loads(fields["data"])
            fields = {}


def ended_trials(run: dict[str, Any]) -> int:
    return sum(run["status_counts"][status] for status in TERMINAL)


class _View(ABC):
    """What is under way besides the counts."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.run = run
        self.doing = ""

    def __enter__(self) -> "_View":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def hear(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "sample" and data["phase"] == "measure":
            rate = sum(one["throughput_per_s"] for one in data["operations"])
            known = [
                one["response_time_ns"] for one in data["operations"] if one["response_time_ns"]["p99"] is not None
            ]
            slowest = max(known, key=lambda times: float(times["p99"]), default=None)
            shown = quantile_microseconds(slowest, "p99") if slowest else "-"
            self.doing = f"{number(rate)} ops/s, p99 {shown} µs"
        elif kind == "sample":
            self.doing = data["phase"]
        elif kind == "trial" and data["status"] in TERMINAL and data["error"]:
            note(f"Trial {data['ordinal'] + 1} {data['status']}: {data['error']['message']}")
        elif kind == "point" and data["total"]:
            self.doing = f"{parameters(data['parameters'])}: {number(data['total']['throughput_per_s'])} ops/s"

    def words(self, run: dict[str, Any]) -> str:
        if run["status"] in TERMINAL:
            return str(run["status"])
        if run["wait_reason"]:
            return f"waits: {run['wait_reason']['message']}"
        left = f"about {span(run['eta_s'])} left" if run["eta_s"] else run["status"]
        return f"{left}  {self.doing}" if self.doing else left

    @abstractmethod
    def show(self, run: dict[str, Any]) -> None:
        """As the run stands now."""


class _Bar(_View):
    """On a terminal."""

    def __init__(self, run: dict[str, Any]) -> None:
        super().__init__(run)
        self._progress = Progress(
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("trials"),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=notes(),
        )
        self._task = self._progress.add_task("", total=run["trial_count"])

    def __enter__(self) -> "_View":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, run: dict[str, Any]) -> None:
        self._progress.update(self._task, completed=ended_trials(run), description=self.words(run))


class _Lines(_View):
    """In a log: when another tenth is done, or some time has passed."""

    def __init__(self, run: dict[str, Any]) -> None:
        super().__init__(run)
        self._told = ""
        self._told_tenth = -1
        self._told_at = 0.0

    def show(self, run: dict[str, Any]) -> None:
        ended, total = ended_trials(run), run["trial_count"]
        tenth = 10 * ended // total if total else 10
        line = f"{ended} of {total} trials, {self.words(run)}"
        is_due = time.monotonic() - self._told_at > SAID_EVERY_S
        if tenth != self._told_tenth or (is_due and line != self._told):
            self._told, self._told_tenth, self._told_at = line, tenth, time.monotonic()
            note(line)
