"""memaslap, of today memcaslap: an event loop for memcached with its own keys and sizes by a file."""

import re
import subprocess
from collections.abc import Iterable

from loadstone_contracts.engine_plan import EnginePlan, OperationKind
from loadstone_contracts.engine_times import Quantiles
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, TargetUnreachable

MIN_KEY_BYTES = 16
STATISTICS = re.compile(r"(Get|Set|Total) Statistics(?: \((\d+) events\))?")
PERIOD = re.compile(r"^Period +\d+ +(\d+) +")
FIGURE = re.compile(r"^ +(Max|Avg): +(\d+)")
TOTAL = re.compile(r"^(cmd_get|cmd_set|get_misses|written_bytes|read_bytes): (\d+)")
RUN_TIME = re.compile(r"Run time: ([\d.]+)s Ops: (\d+) TPS: (\d+)")
NAMES: dict[str, OperationKind] = {"Get": "get", "Set": "set"}
NS_PER_US = 1000


class Memaslap(Adapter):
    info = ENGINES["memaslap"]
    packages = ("libmemcached-tools",)
    data_note = (
        "memaslap writes keys of its own, of the workload's key and value sizes, and reads back what it has written: "
        "every connection warms a window of 10,000 keys first."
    )

    def find(self) -> Found:
        binary = self.which("memcaslap", "memaslap")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10)
        return Found(binary, (printed.stdout + printed.stderr).split("v")[-1].strip() or "unknown")

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.threads, plan.load.connections)

    def command(self, job: PhaseJob) -> Command:
        dataset = job.plan.dataset
        if dataset.key_size_bytes < MIN_KEY_BYTES:
            raise BadPlan(f"memaslap writes keys of {MIN_KEY_BYTES} bytes at least: make the workload's keys longer.")
        if job.connections % self.threads(job.plan):
            raise BadPlan("memaslap shares its connections evenly: make them a multiple of the threads.")
        weights = {operation.kind: operation.weight for operation in job.plan.operations}
        gets = weights.get("get", 0.0) / sum(weights.values())
        size, key_size = job.fixed_value_bytes, dataset.key_size_bytes
        file = job.scratch / "memaslap.cnf"
        file.write_text(f"key\n{key_size} {key_size} 1\nvalue\n{size} {size} 1\ncmd\n0 {1 - gets:.6f}\n1 {gets:.6f}\n")
        arguments = [job.found.binary, f"--servers={job.address.host}:{job.address.port}", f"--cfg_cmd={file}"]
        arguments += [f"--threads={self.threads(job.plan)}", f"--concurrency={job.connections}", "--stat_freq=1s"]
        if job.seconds is not None:
            arguments.append(f"--time={max(1, round(job.seconds))}s")
        else:
            arguments.append(f"--execute_number={job.operations}")
        return Command([*arguments, *(["--binary"] if job.plan.target.protocol == "memcached_binary" else [])])

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "onnect" in end.log_tail:
            return TargetUnreachable("memaslap could not connect: see that the target runs.", end.log_tail)
        return super().explain_exit(end)


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._kinds = [operation.kind for operation in job.plan.operations]
        self._section, self._second = "", 0
        self._counts: dict[str, int] = {}
        self._figures: dict[tuple[str, str], int] = {}
        self._totals: dict[str, int] = {}
        self._elapsed_ns = 0

    def read(self, line: str | None) -> Iterable[Second]:
        if line is None:
            return
        if found := STATISTICS.search(line):
            self._section = found[1]
        elif found := PERIOD.match(line):
            self._counts[self._section] = int(found[1])
            if self._section == "Total":
                yield self._sample()
        elif found := FIGURE.match(line):
            self._figures[self._section, found[1]] = int(found[2])
        elif found := TOTAL.match(line):
            self._totals[found[1]] = int(found[2])
        elif found := RUN_TIME.search(line):
            # The rate has more digits than the time.
            self._elapsed_ns = round(int(found[2]) / max(1, int(found[3])) * 1e9)

    def _sample(self) -> Second:
        self._second += 1
        tallies = [Tally(kind, self._counts.get(name, 0)) for name, kind in NAMES.items() if kind in self._kinds]
        self._counts = {}
        return Second(self._second * 1_000_000_000, 1_000_000_000, tallies)

    def result(self, end: ToolEnd) -> PhaseResult:
        if not self._elapsed_ns or "cmd_get" not in self._totals:
            raise EngineInternal("memaslap printed no totals: see its last lines.", end.log_tail)
        tallies = [self._tally(name, kind) for name, kind in NAMES.items() if kind in self._kinds]
        tallies[0].bytes_sent, tallies[0].bytes_received = (
            self._totals.get(name, 0) for name in ("written_bytes", "read_bytes")
        )
        return PhaseResult(self._elapsed_ns, tallies)

    def _tally(self, name: str, kind: OperationKind) -> Tally:
        count = self._totals[f"cmd_{kind}"]
        misses = self._totals.get("get_misses", 0) if kind == "get" else 0
        highest, mean = (self._figures.get((name, figure)) for figure in ("Max", "Avg"))
        quantiles = Quantiles(p50=None, p90=None, p95=None, p99=None, p999=None, max=highest and highest * NS_PER_US)
        tally = Tally(kind, count, hits=count - misses if kind == "get" else 0, misses=misses, quantiles=quantiles)
        tally.mean_ns = None if mean is None else float(mean * NS_PER_US)
        return tally
