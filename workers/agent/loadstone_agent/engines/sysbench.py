"""sysbench with a script of ours: one statement an event, on the keys that our engine has written."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from loadstone_contracts.engine_plan import EnginePlan
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.dataset import DataShape
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, histogram_of, refused
from loadstone_agent.engines.sql_text import WRITES, value_literals
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, TargetRefused, TargetUnreachable

SCRIPT = Path(__file__).with_name("sysbench.lua")
VALUES = 64
"""Different values that writes choose from."""
BAR = re.compile(r"^ +(\d+\.\d+) \|\**\s+(\d+)$")
INTERVAL = re.compile(r"^\[ (\d+)s \] thds: \d+ tps: ([\d.]+) .* err/s: ([\d.]+)")
EVENTS = re.compile(r"^ +total number of events: +(\d+)")
TIME = re.compile(r"^ +total time: +([\d.]+)s")
IGNORED = re.compile(r"^ +ignored errors: +(\d+)")
HIGHEST = re.compile(r"^ +max: +([\d.]+)")
NS_PER_MS = 1e6


class Sysbench(Adapter):
    info = ENGINES["sysbench"]
    packages = ("sysbench",)

    def find(self) -> Found:
        binary = self.which("sysbench")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10).stdout
        return Found(binary, printed.split()[-1] if printed.split() else "unknown")

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.load.connections, max(1, len(plan.cpus)))

    def command(self, job: PhaseJob) -> Command:
        plan, operation = job.plan, job.plan.operations[0].kind
        dialect = "pgsql" if str(plan.target.protocol).startswith("postgres") else "mysql"
        data = DataShape(plan.dataset)
        arguments = [job.found.binary, f"--config-file={self._login(job, dialect)}", f"--threads={job.connections}"]
        arguments += [f"--time={_seconds(job)}", f"--events={job.operations or 0}", "--report-interval=1"]
        arguments += ["--histogram=on", "--percentile=99", f"--rand-seed={plan.seed % 2**31 or 1}"]
        arguments += [str(SCRIPT), f"--statement={operation}", f"--keys={plan.dataset.key_count}"]
        arguments += [f"--key_prefix={plan.dataset.key_prefix}", f"--key_digits={data.digits}", f"--dialect={dialect}"]
        if operation in WRITES:
            file = job.scratch / "values"
            file.write_text("\n".join(value_literals(data, dialect, min(VALUES, plan.dataset.key_count))) + "\n")
            arguments.append(f"--values={file}")
        elif plan.target.protocol in ("mysql", "postgres"):
            arguments.append("--prepared=on")
        return Command([*arguments, "run"])

    def _login(self, job: PhaseJob, dialect: str) -> Path:
        """In a file, because a command line is everybody's to read."""
        target = job.plan.target
        lines = [f"db-driver={dialect}", f"{dialect}-host={job.address.host}", f"{dialect}-port={job.address.port}"]
        lines.append(f"{dialect}-user={target.username or ('postgres' if dialect == 'pgsql' else 'root')}")
        lines.append(f"{dialect}-password={target.password or ''}")
        lines.append(f"{dialect}-db={target.database or ('postgres' if dialect == 'pgsql' else 'test')}")
        if any(character in line for line in lines for character in "\r\n"):
            raise BadPlan("sysbench takes no line breaks in a user's name or password.")
        return job.secret_file("login.cnf", "\n".join(lines) + "\n")

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "unable to connect" in end.log_tail or "Connection to database failed" in end.log_tail:
            return TargetUnreachable("sysbench cannot connect to the target: see its last lines.", end.log_tail)
        if "FATAL: " in end.log_tail and "returned error" in end.log_tail:
            return TargetRefused("The target refused what sysbench asks: see its last lines.", end.log_tail)
        return super().explain_exit(end)


def _seconds(job: PhaseJob) -> int:
    return max(1, round(job.seconds)) if job.seconds is not None else 0


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._operation = job.plan.operations[0].kind
        self._bars: Counter[int] = Counter()
        self._figures: dict[str, float] = {}

    def read(self, line: str | None) -> Iterable[Second]:
        if line is None:
            return
        if found := INTERVAL.match(line):
            tally = Tally(self._operation, round(float(found[2])), errors=refused(round(float(found[3]))))
            yield Second(int(found[1]) * 1_000_000_000, 1_000_000_000, [tally])
        elif found := BAR.match(line):
            # Near zero several bars are rounded to one value.
            self._bars[round(float(found[1]) * NS_PER_MS)] += int(found[2])
        else:
            for name, pattern in (("events", EVENTS), ("time", TIME), ("ignored", IGNORED), ("max", HIGHEST)):
                if found := pattern.match(line):
                    self._figures[name] = float(found[1])

    def result(self, end: ToolEnd) -> PhaseResult:
        if "events" not in self._figures or not self._figures.get("time"):
            raise EngineInternal("sysbench printed no totals: see its last lines.", end.log_tail)
        events = int(self._figures["events"])
        if sum(self._bars.values()) != events:
            raise EngineInternal("sysbench's histogram does not add up to its events.", end.log_tail)
        ignored = int(self._figures.get("ignored", 0))
        tally = Tally(self._operation, events, errors=refused(ignored))
        tally.service = histogram_of(self._bars)
        return PhaseResult(round(self._figures["time"] * 1e9), [tally])
