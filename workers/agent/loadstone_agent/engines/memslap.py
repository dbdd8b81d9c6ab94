"""memslap, of today memcslap: the whole time of a number of operations, as study after study has used it."""

import re
import subprocess
from collections.abc import Iterable

from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, refused
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import EngineInternal, TargetUnreachable

TIME = re.compile(r"^Time to (get|set) +(\d+) keys by +\d+ threads: +([\d.]+) seconds")
VERSION = re.compile(r"v([\d.]+) \(libmemcached v([\d.]+)\)")


class Memslap(Adapter):
    info = ENGINES["memslap"]
    packages = ("libmemcached-tools",)
    data_note = (
        "memslap writes data of its own, whatever the workload says: keys of 20 to 60 and values of 50 to 5000 random "
        "bytes, as many as each thread executes; before a get it loads them itself. Its operations are rounded up to "
        "a multiple of the connections."
    )

    def find(self) -> Found:
        binary = self.which("memcslap", "memslap")
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10)
        found = VERSION.search(printed.stdout + printed.stderr)
        return Found(binary, f"{found[1]} (libmemcached {found[2]})" if found else "unknown")

    def threads(self, plan: object) -> int:  # noqa: ARG002 - a thread a connection, on the cores it is given
        return 1

    def command(self, job: PhaseJob) -> Command:
        arguments = [job.found.binary, f"--servers={job.address.host}:{job.address.port}"]
        arguments += [f"--concurrency={job.connections}", f"--execute-number={job.operations_each}"]
        arguments += [f"--test={job.plan.operations[0].kind}"]
        return Command([*arguments, *(["--binary"] if job.plan.target.protocol == "memcached_binary" else [])])

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "CONNECTION FAILURE" in end.log_tail or "SERVER IS MARKED DEAD" in end.log_tail:
            return TargetUnreachable("memslap has no connection: see that the target runs.", end.log_tail)
        return super().explain_exit(end)


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._operation = job.plan.operations[0].kind
        self._asked = job.operations_each * job.connections
        self._found: tuple[int, float] | None = None

    def read(self, line: str | None) -> Iterable[Second]:
        if line is not None and (found := TIME.match(line)):
            self._found = int(found[2]), float(found[3])
        return ()

    def result(self, end: ToolEnd) -> PhaseResult:
        if self._found is None or self._found[1] <= 0:
            raise EngineInternal("memslap printed no time: see its last lines.", end.log_tail)
        count, elapsed_s = self._found
        failed = max(0, self._asked - count)
        return PhaseResult(round(elapsed_s * 1e9), [Tally(self._operation, count, errors=refused(failed))])
