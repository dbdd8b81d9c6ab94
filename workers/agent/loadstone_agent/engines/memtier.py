"""memtier_benchmark: an event loop for Redis and memcached; its keys are not padded, so its data are its own."""

import json
import re
import subprocess
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from loadstone_contracts.engine_plan import EnginePlan, OperationKind
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, from_microseconds, refused
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, TargetUnreachable

PROTOCOLS = {
    "redis": "resp2",
    "redis_resp3": "resp3",
    "memcached": "memcache_text",
    "memcached_binary": "memcache_binary",
}
PATTERNS = {"uniform": "R", "sequential": "S"}
SECTIONS: dict[str, OperationKind] = {"Gets": "get", "Sets": "set"}
RATIO_STEPS = 100
REPORT = "report.json"


class Memtier(Adapter):
    info = ENGINES["memtier"]
    data_note = "memtier_benchmark does not pad its keys: it fills the store with keys of its own and reads those."

    def find(self) -> Found:
        binary = self.which("memtier_benchmark")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10).stdout
        found = re.search(r"v=(\S+)(?: sha=(\w+))?", printed)
        return Found(binary, " ".join(part for part in found.groups() if part) if found else "unknown")

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.threads, plan.load.connections)

    def command(self, job: PhaseJob) -> Command:
        plan, threads = job.plan, self.threads(job.plan)
        weights = {operation.kind: operation.weight for operation in plan.operations}
        # It sends all sets of the ratio and then all gets: in its lowest terms the mix is the finest.
        sets = Fraction(weights.get("set", 0.0) / sum(weights.values())).limit_denominator(RATIO_STEPS)
        expire_s = max(operation.expire_s for operation in plan.operations)
        pattern = PATTERNS[plan.access.kind]
        arguments = [
            *self._base(job),
            f"--ratio={sets.numerator}:{sets.denominator - sets.numerator}",
            f"--key-pattern={pattern}:{pattern}",
        ]
        arguments += [f"--threads={threads}", f"--clients={job.connections // threads}"]
        arguments += [f"--pipeline={plan.load.pipeline}", f"--json-out-file={job.scratch / REPORT}"]
        if plan.load.requests_per_connection:
            arguments.append(f"--reconnect-interval={plan.load.requests_per_connection}")
        if expire_s:
            arguments.append(f"--expiry-range={expire_s}-{expire_s}")
        if job.seconds is not None:
            arguments.append(f"--test-time={max(1, round(job.seconds))}")
        else:
            arguments.append(f"--requests={job.operations_each}")
        return Command(arguments)

    def prefill_command(self, job: PhaseJob) -> Command:
        """Every key once, by one connection."""
        keys = job.plan.dataset.key_count
        return Command([*self._base(job), "--ratio=1:0", "--key-pattern=S:S", "-t1", "-c1", f"--requests={keys}"])

    def _base(self, job: PhaseJob) -> list[str]:
        plan = job.plan
        if plan.target.password is not None:
            # It takes a password on its command line only, where every user of the host can read it.
            raise BadPlan("memtier_benchmark cannot sign in without showing the password: use an engine that can.")
        if job.connections % self.threads(plan):
            raise BadPlan("memtier_benchmark shares its connections evenly: make them a multiple of the threads.")
        arguments = [job.found.binary, f"--server={job.address.host}", f"--port={job.address.port}"]
        arguments += [f"--protocol={PROTOCOLS[str(plan.target.protocol)]}", f"--data-size={job.fixed_value_bytes}"]
        arguments += [f"--key-prefix={plan.dataset.key_prefix}", "--key-minimum=1", "--hide-histogram"]
        arguments += [f"--key-maximum={plan.dataset.key_count}", "--distinct-client-seed"]
        if plan.target.database is not None:
            arguments.append(f"--select-db={int(plan.target.database)}")
        return arguments

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "connect" in end.log_tail.lower() and "refused" in end.log_tail.lower():
            return TargetUnreachable("memtier_benchmark cannot connect: see that the target runs.", end.log_tail)
        return super().explain_exit(end)


class _Reader(OutputReader):
    """The report comes at the end, with the seconds in it."""

    def __init__(self, job: PhaseJob) -> None:
        self._file = job.scratch / REPORT
        self._seconds = job.seconds
        self._sections = {
            name: kind for name, kind in SECTIONS.items() if kind in [one.kind for one in job.plan.operations]
        }

    def read(self, line: str | None) -> Iterable[Second]:  # noqa: ARG002 - its lines are for a person
        return ()

    def _report(self, log_tail: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self._file.read_bytes())["ALL STATS"]
        except (OSError, ValueError, KeyError) as error:
            raise EngineInternal("memtier_benchmark left no report: see its last lines.", log_tail) from error
        return found

    def rest(self) -> Iterable[Second]:
        report = self._report("")
        elapsed_ns = int(report["Runtime"]["Total duration"]) * 1_000_000
        seconds = {int(second) for name in self._sections for second in report[name].get("Time-Serie", {})}
        for second in sorted(seconds):
            tallies = [
                Tally(kind, int(report[name].get("Time-Serie", {}).get(str(second), {}).get("Count", 0)))
                for name, kind in self._sections.items()
            ]
            ended_ns = min((second + 1) * 1_000_000_000, max(elapsed_ns, second * 1_000_000_000 + 1))
            yield Second(ended_ns, ended_ns - second * 1_000_000_000, tallies)

    def result(self, end: ToolEnd) -> PhaseResult:
        report = self._report(end.log_tail)
        try:
            tallies = [self._tally(report[name], kind) for name, kind in self._sections.items()]
            elapsed_ns = int(report["Runtime"]["Total duration"]) * 1_000_000
            # The rate has more digits than the duration.
            rate = float(report["Totals"]["Ops/sec"])
        except (KeyError, TypeError, ValueError) as error:
            raise EngineInternal("memtier_benchmark's report is not as it was.", str(error)) from error
        count = sum(one.count for one in tallies)
        if self._seconds is not None:
            # A phase of seconds lasts so long; builds of 2026 tell a second more or less of it.
            return PhaseResult(max(1, round(self._seconds)) * 1_000_000_000, tallies)
        return PhaseResult(round(count / rate * 1e9) if rate else elapsed_ns, tallies)

    def _tally(self, section: dict[str, Any], kind: OperationKind) -> Tally:
        count = int(section["Count"])
        tally = Tally(kind, count, errors=refused(int(section.get("Connection Errors", 0))))
        tally.service = from_microseconds(
            section["Percentile Latencies"]["Histogram log format"]["Compressed Histogram"]
        )
        if kind == "get" and float(section["Ops/sec"]):
            tally.misses = round(count * float(section["Misses/sec"]) / float(section["Ops/sec"]))
            tally.hits = count - tally.misses
        return tally
