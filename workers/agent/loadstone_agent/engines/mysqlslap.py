"""mysqlslap: the whole time of a list of statements, by many clients at once."""

import csv
import subprocess
from collections import Counter
from collections.abc import Iterable
from itertools import cycle, islice

from loadstone_contracts.engine_plan import EnginePlan
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.dataset import DataShape, drawn_keys, drawn_operations
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally
from loadstone_agent.engines.sql_text import statement
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import EngineInternal, TargetRefused, TargetUnreachable

MAX_STATEMENTS = 10_000
MAX_LIST_BYTES = 16 * 1024 * 1024
FIELDS = 7
"""engine, kind of load, mean, lowest and highest seconds, clients, and queries of each."""


class Mysqlslap(Adapter):
    info = ENGINES["mysqlslap"]
    packages = ("mariadb-client",)
    data_note = (
        "mysqlslap sends a list of up to 10,000 statements over and over, every client the same in the same order; "
        "its operations are rounded up to a multiple of the connections."
    )

    def find(self) -> Found:
        binary = self.which("mysqlslap", "mariadb-slap")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10).stdout
        words = printed.split()
        return Found(binary, words[words.index("Distrib") + 1].rstrip(",") if "Distrib" in words else printed.strip())

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.load.connections, max(1, len(plan.cpus)))

    def command(self, job: PhaseJob) -> Command:
        target = job.plan.target
        file = job.scratch / "statements.sql"
        file.write_text(";\n".join(_statements(job)) + ";\n")
        arguments = [job.found.binary, "--no-defaults", f"--host={job.address.host}", f"--port={job.address.port}"]
        arguments += ["--protocol=tcp", f"--user={target.username or 'root'}", "--no-drop", "--skip-ssl"]
        arguments += [f"--create-schema={target.database or 'test'}", f"--query={file}", "--delimiter=;"]
        arguments += [f"--concurrency={job.connections}", "--iterations=1", "--csv", "--silent"]
        arguments += [f"--number-of-queries={job.operations_each * job.connections}"]
        return Command(arguments, environment={"MYSQL_PWD": target.password or ""})

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "rror when connecting" in end.log_tail:
            return TargetUnreachable("mysqlslap cannot connect to the target: see its last lines.", end.log_tail)
        if "Cannot run query" in end.log_tail:
            return TargetRefused("The target refused a statement of mysqlslap: see its last lines.", end.log_tail)
        return super().explain_exit(end)


def _statements(job: PhaseJob) -> list[str]:
    plan, data = job.plan, DataShape(job.plan.dataset)
    longest = 2 * data.max_bytes + plan.dataset.key_size_bytes + 100
    count = max(1, min(MAX_STATEMENTS, MAX_LIST_BYTES // longest, job.operations_each))
    kinds = [plan.operations[place].kind for place in drawn_operations(plan, count)]
    return [
        statement(kind, "mysql", f"'{data.key(key)}'", f"X'{data.value(key).hex()}'")
        for kind, key in zip(kinds, drawn_keys(plan, count), strict=True)
    ]


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._job = job
        self._row: list[str] | None = None

    def read(self, line: str | None) -> Iterable[Second]:
        if line is not None and line.count(",") == FIELDS - 1:
            self._row = next(csv.reader([line]))
        return ()

    def result(self, end: ToolEnd) -> PhaseResult:
        try:
            _, _, mean_s, _, _, clients, _ = self._row or []
            elapsed_ns = round(float(mean_s) * 1e9)
            matches = int(clients) == self._job.connections
        except ValueError as error:
            raise EngineInternal("mysqlslap printed no times: see its last lines.", end.log_tail) from error
        if not matches or elapsed_ns <= 0:
            raise EngineInternal("mysqlslap did not run with the clients that it was given.", end.log_tail)
        return PhaseResult(elapsed_ns, self._tallies())

    def _tallies(self) -> list[Tally]:
        """Every client walks the same list from its beginning."""
        plan, each = self._job.plan, self._job.operations_each
        order = drawn_operations(plan, len(_statements(self._job)))
        counts = Counter(islice(cycle(order), each))
        return [
            Tally(operation.kind, counts[place] * self._job.connections)
            for place, operation in enumerate(plan.operations)
        ]
