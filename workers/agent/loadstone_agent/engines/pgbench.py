"""pgbench with scripts of ours: one statement a transaction, each logged with its time."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from loadstone_contracts.engine_plan import EnginePlan
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.dataset import DataShape
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second
from loadstone_agent.engines.sql_text import statement, value_literals
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.engines.transaction_log import TransactionLog
from loadstone_agent.errors import BadPlan, EngineInternal, TargetRefused, TargetUnreachable

WEIGHT_STEPS = 1000
TRANSACTIONS = re.compile(r"number of transactions actually processed: (\d+)")
RATE = re.compile(r"^tps = ([\d.]+) \((?:without initial connection time|including reconnection times)")


class Pgbench(Adapter):
    info = ENGINES["pgbench"]
    packages = ("postgresql-contrib",)

    def find(self) -> Found:
        binary = self.which("pgbench")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10).stdout
        found = re.search(r"\) (\S+)", printed)
        return Found(binary, found[1] if found else printed.strip())

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.threads, plan.load.connections)

    def command(self, job: PhaseJob) -> Command:
        plan, target = job.plan, job.plan.target
        mode = "simple" if target.protocol == "postgres_simple" else "prepared"
        arguments = [job.found.binary, "-n", "-h", job.address.host, "-p", str(job.address.port)]
        arguments += ["-U", target.username or "postgres", "-c", str(job.connections), "-j", str(self.threads(plan))]
        arguments += ["-M", mode, "-l", "--log-prefix=transactions", f"--random-seed={plan.seed % 2**31}"]
        arguments += ["-T", str(max(1, round(job.seconds)))] if job.seconds else ["-t", str(job.operations_each)]
        if plan.load.kind == "open":
            if plan.load.arrivals != "poisson":
                raise BadPlan("pgbench's arrivals are those of Poisson: set the arrivals so.")
            arguments += ["-R", f"{plan.load.rate_per_s:g}"]
        if job.is_reconnecting:
            arguments.append("-C")
        for script, weight in self._scripts(job):
            arguments += ["-f", f"{script}@{weight}"]
        # Not as an argument: a name may look like an option, and one with '=' is read as a whole connection string.
        database = {"PGDATABASE": str(target.database or "postgres"), "PGSSLMODE": "disable"}
        return Command(arguments, environment={**database, "PGPASSWORD": target.password or ""})

    def _scripts(self, job: PhaseJob) -> Iterable[tuple[Path, int]]:
        plan, data = job.plan, DataShape(job.plan.dataset)
        weights = sum(operation.weight for operation in plan.operations)
        value = value_literals(data, "pgsql", 1)[0]
        # Twice cast: what lpad answers is text, and keys are bytes.
        key = f"('{plan.dataset.key_prefix}' || lpad(:i::text, {data.digits}, '0'))::bytea"
        for place, operation in enumerate(plan.operations):
            script = job.scratch / f"{place}.sql"
            text = statement(operation.kind, "pgsql", key, value)
            script.write_text(f"\\set i random(0, {plan.dataset.key_count - 1})\n{text};\n")
            yield script, max(1, round(operation.weight / weights * WEIGHT_STEPS))

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "connection to server at" in end.log_tail and "failed" in end.log_tail:
            return TargetUnreachable("pgbench cannot connect to the target: see its last lines.", end.log_tail)
        if "ERROR:" in end.log_tail:
            return TargetRefused("The target refused a statement of pgbench: see its last lines.", end.log_tail)
        return super().explain_exit(end)


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._log = TransactionLog(job.scratch, job.plan.operations, job.plan.load.kind == "open")
        self._figures: dict[str, float] = {}

    def read(self, line: str | None) -> Iterable[Second]:
        if line is None:
            return self._log.follow()
        for name, pattern in (("count", TRANSACTIONS), ("rate", RATE)):
            if found := pattern.search(line):
                self._figures[name] = float(found[1])
        return ()

    def rest(self) -> Iterable[Second]:
        return self._log.rest()

    def result(self, end: ToolEnd) -> PhaseResult:
        if not self._figures.get("count") or not self._figures.get("rate"):
            raise EngineInternal("pgbench printed no totals: see its last lines.", end.log_tail)
        tallies = self._log.totals()
        count, told = sum(one.count for one in tallies), int(self._figures["count"])
        if count != told:
            raise EngineInternal(f"pgbench says {told} transactions, and logged {count}.", end.log_tail)
        late = sum(one.late for one in tallies)
        return PhaseResult(round(count / self._figures["rate"] * 1e9), tallies, late_share=late / count)
