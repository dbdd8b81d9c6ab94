"""redis-benchmark: one command at a time, its keys ours by the 12 digits that it draws."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from loadstone_contracts.engine_plan import EnginePlan, Operation
from loadstone_contracts.engine_times import Quantiles
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.dataset import DataShape
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, TargetRefused, TargetUnreachable

DRAWN = "__rand_int__"
DRAWN_DIGITS = 12
PROGRESS = re.compile(r": rps=[\d.]+ \(overall: ([\d.]+)\) avg_msec=\S+ \(overall: ([\d.]+|-?nan)\)")
PROGRESS_S = 0.25
SUMMARY = re.compile(r"^ +(\d+\.\d+) +(\d+\.\d+) +(\d+\.\d+) +(\d+\.\d+) +(\d+\.\d+) +(\d+\.\d+)$")
COMPLETED = re.compile(r"^ +(\d+) requests completed in ([\d.]+) seconds")
THROUGHPUT = re.compile(r"throughput summary: ([\d.]+) requests per second")
NS_PER_MS = 1e6


class RedisBenchmark(Adapter):
    info = ENGINES["redis-benchmark"]
    packages = ("redis-tools",)

    def find(self) -> Found:
        binary = self.which("redis-benchmark", "valkey-benchmark")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10).stdout
        return Found(binary, printed.split()[1] if len(printed.split()) > 1 else printed.strip())

    def command(self, job: PhaseJob) -> Command:
        plan = job.plan
        if plan.target.password is not None:
            # It takes a password on its command line only, where every user of the host can read it.
            raise BadPlan("redis-benchmark cannot sign in without showing the password: use an engine that can.")
        arguments = [job.found.binary, "-h", job.address.host, "-p", str(job.address.port)]
        arguments += ["-c", str(job.connections), "-n", str(job.operations), "-P", str(plan.load.pipeline)]
        arguments += ["-r", str(plan.dataset.key_count), "--precision", "3", "-e"]
        arguments += ["-k", "0" if job.is_reconnecting else "1"]
        if plan.threads > 1:
            arguments += ["--threads", str(self.threads(plan))]
        if plan.target.protocol == "redis_resp3":
            arguments.append("-3")
        if plan.target.database is not None:
            arguments += ["--dbnum", str(int(plan.target.database))]
        asked, given = _asked(job, plan.operations[0])
        return Command([*arguments, *(["-x"] if given else []), *asked], given=given)

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "Could not connect" in end.log_tail or "Connection refused" in end.log_tail:
            return TargetUnreachable("redis-benchmark cannot connect to the target: see that it runs.", end.log_tail)
        if "Error from server" in end.log_tail or "NOAUTH" in end.log_tail:
            return TargetRefused("The target refused what redis-benchmark asks.", end.log_tail)
        return super().explain_exit(end)


def _key(plan: EnginePlan) -> str:
    dataset = plan.dataset
    zeros = dataset.key_size_bytes - len(dataset.key_prefix) - DRAWN_DIGITS
    return f"{dataset.key_prefix}{'0' * zeros}{DRAWN}"


def _asked(job: PhaseJob, operation: Operation) -> tuple[list[str], Path | None]:
    """The command to measure, and the file that its last argument is read from: a value may hold any byte."""
    key, entries, first = _key(job.plan), operation.entries, operation.from_entry
    match operation.kind:
        case "get":
            return ["GET", key], None
        case "range_first":
            return ["LRANGE", key, "0", str(entries - 1)], None
        case "range_last":
            return ["LRANGE", key, str(-entries), "-1"], None
        case "range":
            return ["LRANGE", key, str(first), str(first + entries - 1)], None
        case "list_length":
            return ["LLEN", key], None
    value = job.scratch / "value"
    value.write_bytes(DataShape(job.plan.dataset).value(0))
    return [{"set": "SET", "list_insert_head": "LPUSH", "list_insert_tail": "RPUSH"}[operation.kind], key], value


class _Reader(OutputReader):
    """Progress comes every quarter of a second with the rate since the start, from which the seconds are made."""

    def __init__(self, job: PhaseJob) -> None:
        self._operation = job.plan.operations[0].kind
        self._asked = job.operations or 0
        self._parts = 0
        self._told = 0
        self._overall_per_s = 0.0
        self._completed: int | None = None
        self._elapsed_s = 0.0
        self._times: list[float] = []

    def read(self, line: str | None) -> Iterable[Second]:
        if line is None:
            return ()
        if line.startswith("Error from server"):
            raise TargetRefused("The target refused what redis-benchmark asks: see its answer.", line)
        if found := PROGRESS.search(line):
            return self._progress(float(found[1]))
        if found := COMPLETED.match(line):
            self._completed, self._elapsed_s = int(found[1]), float(found[2])
        elif found := THROUGHPUT.search(line):
            self._overall_per_s = float(found[1])
        elif found := SUMMARY.match(line):
            self._times = [float(part) for part in found.groups()]
        return ()

    def _progress(self, overall_per_s: float) -> list[Second]:
        self._parts += 1
        if self._parts % round(1 / PROGRESS_S):
            return []
        second = self._parts // round(1 / PROGRESS_S)
        count = min(self._asked, round(overall_per_s * second))
        tally = Tally(self._operation, max(0, count - self._told))
        self._told = max(count, self._told)
        return [Second(second * 1_000_000_000, 1_000_000_000, [tally])]

    def result(self, end: ToolEnd) -> PhaseResult:
        if self._completed is None or not self._times or not self._overall_per_s:
            raise EngineInternal("redis-benchmark printed no summary: see its last lines.", end.log_tail)
        mean, _, p50, p95, p99, highest = (round(part * NS_PER_MS) for part in self._times)
        quantiles = Quantiles(p50=p50, p90=None, p95=p95, p99=p99, p999=None, max=highest)
        tally = Tally(self._operation, self._completed, quantiles=quantiles, mean_ns=float(mean))
        # The rate has more digits than the duration, which is rounded to hundredths.
        return PhaseResult(round(self._completed / self._overall_per_s * 1e9), [tally])
