"""A seeded storm of `kill -9` over every process of a live stack with runs under way, and what must hold after it."""

import contextlib
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import psutil
import psycopg

from loadstone_local import servers
from loadstone_local.attack.outcome import RETRY_LIMIT_S, Figure
from loadstone_local.attack.stage import Plan, Stage, plan_of
from loadstone_local.console import say
from loadstone_local.live_stack import TERMINAL, LiveStack

KILLS_FULL, KILLS_SHORT = 200, 13
PAUSE_S = (1.5, 4.5)
RUNS_AHEAD = 2
SETTLE_S = 300.0
BUSY_WITHIN_S = 15.0
Find = Callable[[LiveStack], list[psutil.Process]]


def _service(words: str) -> Find:
    return lambda live: [live.service(words)]


def _children(words: str, named: str) -> Find:
    def found(live: LiveStack) -> list[psutil.Process]:
        return [one for one in live.service(words).children() if named in " ".join(one.cmdline())]

    return found


def _keepers(live: LiveStack) -> list[psutil.Process]:
    agent = live.service("loadstone-agent")
    return [one for one in agent.children(recursive=True) if "keeper" in " ".join(one.cmdline())]


VICTIMS: dict[str, Find] = {
    "agent": _service("loadstone-agent"),
    "agent's pool": _children("loadstone-agent", "loadstone-agent"),
    "api": _service("loadstone.main"),
    "control": _service("loadstone_control.app worker"),
    "control's pool": _children("loadstone_control.app worker", "loadstone_control.app"),
    "beat": _service("loadstone_control.app beat"),
    "engine": LiveStack.engines,
    "store": LiveStack.stores,
    "keeper": _keepers,
    "broker": _service("redis-server"),
    "database": _service("postgres"),
    "database backend": _children("postgres", "postgres: loadstone"),
}


@dataclass
class Kill:
    victim: str
    at: datetime
    trial_id: str | None
    """Whose attempt was under way, where the database could be asked."""
    attempt: int = 0


@dataclass
class Storm:
    stage: Stage
    runs: list[str] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    stored: dict[tuple[str, int], int] = field(default_factory=dict)
    """Seconds of each attempt that the api had stored when it was last looked at: none of them may go."""

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """From the database itself; empty while that is down."""
        known = servers.database_url(self.stage.secrets()).replace("+psycopg", "")
        with contextlib.suppress(psycopg.Error), closing(psycopg.connect(known, connect_timeout=2)) as connection:
            return connection.execute(statement, values or None).fetchall()
        return []

    def keep_busy(self) -> None:
        """Some runs wait all the time; an answer that was lost on the way is asked for again by its key."""
        live = self.ask("SELECT count(*) FROM runs WHERE status NOT IN ('succeeded', 'failed', 'cancelled', 'crashed')")
        if live and live[0][0] < RUNS_AHEAD:
            key = str(uuid.uuid4())
            for _ in range(3):
                with contextlib.suppress(httpx2.HTTPError):
                    body, headers = {"plan": storm_plan(self.stage)}, {"Idempotency-Key": key}
                    answer = self.stage.editor.post("/runs", json=body, headers=headers, timeout=10)
                    if answer.status_code == 201:
                        self.runs.append(answer.json()["id"])
                        return

    def note_stored(self) -> None:
        for trial, attempt, count in self.ask(SECONDS_STORED):
            self.stored[str(trial), attempt] = max(count, self.stored.get((str(trial), attempt), 0))

    def _lease(self, within_s: float) -> list[tuple[Any, ...]]:
        """The attempt under way; an agent's death is told apart from a restart by one."""
        deadline = time.monotonic() + within_s
        while True:
            found = self.ask("SELECT trial_id, attempt FROM leases WHERE status = 'active' LIMIT 1")
            if found or time.monotonic() >= deadline:
                return found
            self.keep_busy()
            time.sleep(0.2)

    def strike(self, name: str) -> bool:
        """False where no such process runs just now."""
        with contextlib.suppress(StopIteration, psutil.Error, OSError, ValueError):
            found = VICTIMS[name](self.stage.live)
            if found:
                lease = self._lease(BUSY_WITHIN_S if name == "agent" else 0)
                trial, attempt = (str(lease[0][0]), lease[0][1]) if lease else (None, 0)
                self.stage.rng.choice(found).kill()
                self.kills.append(Kill(name, datetime.now(UTC), trial, attempt))
                return True
        return False


SECONDS_STORED = "SELECT trial_id, attempt, count(DISTINCT seq) FROM samples GROUP BY 1, 2"


def storm_plan(stage: Stage) -> Plan:
    """Two stores, one trial each, long enough that most kills hit one in the middle."""
    kinds = [kind for kind in ("redis", "memcached") if kind in stage.offered_kinds()]
    load = {"kind": "open", "connections": 2, "rate_per_s": 300, "arrivals": "constant"}
    targets = [stage.target_of(kind) for kind in kinds]
    return plan_of(targets, [{"kind": "get", "weight": 1}], name="storm", load=load, stop={"seconds": 3})


def rage(stage: Stage) -> Storm:
    """Every kind of process at least once in each dozen kills, in an order that the seed decides."""
    storm, wanted = Storm(stage), KILLS_FULL if stage.is_full else KILLS_SHORT
    queue: list[str] = []
    while len(storm.kills) < wanted:
        storm.keep_busy()
        storm.note_stored()
        time.sleep(stage.rng.uniform(*PAUSE_S))
        if not queue:
            # Twice the agent: how soon its trial is attempted again is measured by its deaths.
            queue = stage.rng.sample([*VICTIMS, "agent"], len(VICTIMS) + 1)
        # What does not run just now waits for its turn.
        struck = next((name for name in queue if storm.strike(name)), None)
        if struck is not None:
            queue.remove(struck)
    return storm


def what_is_wrong(storm: Storm) -> Iterator[str]:
    """Everything that the storm left broken."""
    yield from _settle(storm)
    yield from _lost_or_doubled(storm)
    yield from _left_behind(storm.stage)
    yield from _stuck_queue(storm.stage)


def _settle(storm: Storm) -> Iterator[str]:
    """Until every run has ended."""
    deadline = time.monotonic() + SETTLE_S
    unended: list[Any] = [("nothing answered", "", "")]
    while time.monotonic() < deadline:
        if storm.ask("SELECT 1"):
            unended = storm.ask("SELECT id, status, name FROM runs WHERE NOT status = ANY(%s)", list(TERMINAL))
            if not unended:
                return
        time.sleep(0.5)
    for run_id, status, _ in unended:
        yield f"run {run_id} is still {status} after {SETTLE_S:.0f} s"


def _lost_or_doubled(storm: Storm) -> Iterator[str]:
    known = {str(row[0]) for row in storm.ask("SELECT id FROM runs")}
    yield from (f"run {run_id} was accepted and is gone" for run_id in storm.runs if run_id not in known)
    now = {(str(trial), attempt): count for trial, attempt, count in storm.ask(SECONDS_STORED)}
    for key, count in storm.stored.items():
        if now.get(key, 0) < count:
            yield f"trial {key[0]}, attempt {key[1]}: {count} seconds were stored, {now.get(key, 0)} are there"
    for trial_id, status in storm.ask("SELECT id, status FROM trials WHERE NOT status = ANY(%s)", list(TERMINAL)):
        yield f"trial {trial_id} is {status} although its run has ended"
    for trial, agent, attempt in storm.ask(
        "SELECT trial_id, agent_id, attempt FROM leases GROUP BY 1, 2, 3 HAVING count(*) > 1"
    ):
        yield f"trial {trial}, attempt {attempt} was leased twice to {agent}"
    yield from (f"lease {row[0]} is still active" for row in storm.ask("SELECT id FROM leases WHERE status = 'active'"))
    yield from (f"{row[0]} is still held" for row in storm.ask("SELECT resource FROM holds"))
    for (trial_id,) in storm.ask("SELECT id FROM trials WHERE status = 'succeeded'"):
        yield from _miscounted(storm.stage, str(trial_id))


def _miscounted(stage: Stage, trial_id: str) -> Iterator[str]:
    """Its seconds have neither gap nor double, and add up to what its engine summed."""
    trial = stage.live.get(f"/trials/{trial_id}")
    samples = stage.live.get(f"/trials/{trial_id}/samples?attempt={trial['attempt']}")["items"]
    order = [sample["seq"] for sample in samples]
    if order != list(range(len(order))):
        yield f"trial {trial_id}: its seconds are {order}"
    summed = sum(row["count"] for phase in trial["phases"] for row in phase["operations"])
    sampled = sum(row["count"] for sample in samples for row in sample["operations"])
    if summed != sampled:
        yield f"trial {trial_id}: the engine counted {summed} operations, its seconds hold {sampled}"


def _left_behind(stage: Stage) -> Iterator[str]:
    """Processes and directories of stores, engines and keepers; spools that were not delivered."""
    time.sleep(6)
    stores = stage.agent_dir / "stores"
    yield from (f"the data directory {path} was left" for path in (stores.glob("*") if stores.exists() else ()))
    family = {one.pid for one in stage.live.family()}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            words, folder = " ".join(process.cmdline()), process.cwd()
            is_ours = str(stage.agent_dir) in words or Path(folder).is_relative_to(stage.agent_dir)
            if is_ours and process.pid not in family:
                yield f"process {process.pid} was left: {words[:120]}"
    spool = stage.agent_dir / "spool"
    left = [path for path in (spool.rglob("*") if spool.exists() else ()) if path.is_file()]
    yield from (f"the spool {path.name} was not delivered" for path in left)


def _stuck_queue(stage: Stage) -> Iterator[str]:
    started = time.monotonic()
    answer = stage.submit(storm_plan(stage))
    if answer.status_code != 201:
        yield f"after the storm a run was refused: {answer.text[:200]}"
        return
    run = stage.wait(answer.json()["id"], within_s=120)
    if run["status"] != "succeeded":
        yield f"a run after the storm ended {run['status']}"
    say(f"attack: a run after the storm took {time.monotonic() - started:.1f} s")


def retry_figure(storm: Storm) -> Figure | None:
    """From an agent's death to the claim of the next attempt of the trial that it was executing."""
    waits = []
    for kill in storm.kills:
        if kill.victim == "agent" and kill.trial_id is not None:
            again = storm.ask(
                "SELECT min(claimed_at) FROM leases WHERE trial_id = %s AND attempt > %s AND claimed_at > %s",
                kill.trial_id, kill.attempt, kill.at,
            )  # fmt: skip
            if again and again[0][0] is not None:
                waits.append((again[0][0] - kill.at).total_seconds())
    if not waits:
        return None
    method = "kill -9 of the agent to the claim of its trial's next attempt, in the storm; median, slowest"
    return Figure("agent_kill_to_retry_s", statistics.median(waits), "s", RETRY_LIMIT_S, f"{method} {max(waits):.1f} s",
                  len(waits))  # fmt: skip
