"""YCSB: its own table, records of one field of the workload's value size."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from loadstone_contracts.engine_plan import EnginePlan, OperationKind
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, from_microseconds, refused
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, TargetUnreachable

BINDINGS = {"redis": "redis", "mongodb": "mongodb", "memcached": "memcached"}
DRIVERS = {
    "redis": "site.ycsb.db.RedisClient",
    "mongodb": "site.ycsb.db.MongoDbClient",
    "memcached": "site.ycsb.db.MemcachedClient",
}
NAMES: dict[OperationKind, str] = {
    "get": "READ",
    "set": "UPDATE",
    "update": "UPDATE",
    "insert": "INSERT",
    "scan": "SCAN",
    "read_modify_write": "READ-MODIFY-WRITE",
}
PROPORTIONS: dict[OperationKind, str] = {
    "get": "readproportion",
    "set": "updateproportion",
    "update": "updateproportion",
    "insert": "insertproportion",
    "scan": "scanproportion",
    "read_modify_write": "readmodifywriteproportion",
}
ACCESS = {"uniform": "uniform", "zipf": "zipfian", "latest": "latest", "sequential": "sequential", "hot_set": "hotspot"}
ZIPF = 0.99
"""The exponent that YCSB has built in."""
UNBOUNDED = 2_000_000_000
RUN_TIME = re.compile(r"^\[OVERALL\], RunTime\(ms\), (\d+)")
FAILED = re.compile(r"^\[([A-Z-]+)-FAILED\], Operations, (\d+)")


class Ycsb(Adapter):
    info = ENGINES["ycsb"]
    data_note = "YCSB writes records of its own: keys `user<number>`, one field of the workload's value size."

    def find(self) -> Found:
        java = self.which("java")
        home = Path(os.environ.get("YCSB_HOME", "/opt/ycsb"))
        core = next(iter(sorted((home / "lib").glob("core-*.jar"))), None)
        if core is None:
            raise self.missing()
        return Found(java, core.stem.removeprefix("core-"), (str(home),))

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.load.connections, max(1, len(plan.cpus)))

    def command(self, job: PhaseJob) -> Command:
        limit = ["-p", f"operationcount={job.operations or UNBOUNDED}"]
        if job.seconds is not None:
            limit += ["-p", f"maxexecutiontime={max(1, round(job.seconds))}"]
        arguments = [*self._base(job), "-t", "-threads", str(job.connections), *limit, *_mix(job.plan)]
        output = ["-p", "measurementtype=hdrhistogram", "-p", "hdrhistogram.fileoutput=true"]
        return Command([*arguments, *output, "-p", f"hdrhistogram.output.path={job.scratch}/times-"])

    def prefill_command(self, job: PhaseJob) -> Command:
        return Command([*self._base(job), "-load", "-threads", "1"])

    def _base(self, job: PhaseJob) -> list[str]:
        plan, home = job.plan, Path(job.found.extra[0])
        protocol = str(plan.target.protocol)
        binding = home / f"{BINDINGS[protocol]}-binding/lib"
        if not binding.is_dir():
            raise BadPlan(f"YCSB has no binding of {protocol} in {home}: unpack that one too.")
        if plan.target.password is not None:
            # It takes a password on its command line only, where every user of the host can read it.
            raise BadPlan("YCSB cannot sign in without showing the password: use an engine that can.")
        arguments = [job.found.binary, "-cp", f"{home}/lib/*:{binding}/*", "site.ycsb.Client"]
        address = {
            "redis": ["-p", f"redis.host={job.address.host}", "-p", f"redis.port={job.address.port}"],
            "mongodb": ["-p", f"mongodb.url=mongodb://{job.address.host}:{job.address.port}/loadstone"],
            "memcached": ["-p", f"memcached.hosts={job.address.host}:{job.address.port}"],
        }[protocol]
        record = ["fieldcount=1", f"fieldlength={job.fixed_value_bytes}", f"recordcount={plan.dataset.key_count}"]
        settings = ["workload=site.ycsb.workloads.CoreWorkload", *record]
        return [*arguments, "-db", DRIVERS[protocol], *address, *(word for one in settings for word in ("-p", one))]

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        if "onnection refused" in end.log_tail or "Failed connecting" in end.log_tail:
            return TargetUnreachable("YCSB cannot connect: see that the target runs.", end.log_tail)
        return super().explain_exit(end)


def _mix(plan: EnginePlan) -> list[str]:
    weights = dict.fromkeys(PROPORTIONS.values(), 0.0)
    total = sum(operation.weight for operation in plan.operations)
    for operation in plan.operations:
        weights[PROPORTIONS[operation.kind]] += operation.weight / total
    settings = [f"{name}={share:.6f}" for name, share in weights.items()]
    settings.append(f"requestdistribution={ACCESS[plan.access.kind]}")
    settings.append(f"maxscanlength={max(operation.entries for operation in plan.operations)}")
    if plan.access.kind == "zipf" and plan.access.exponent != ZIPF:
        raise BadPlan(f"YCSB's Zipf has the exponent {ZIPF}: set it so.")
    if plan.access.kind == "hot_set":
        settings.append(f"hotspotdatafraction={plan.access.key_share}")
        settings.append(f"hotspotopnfraction={plan.access.operation_share}")
    return [word for one in settings for word in ("-p", one)]


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._kinds = [operation.kind for operation in job.plan.operations]
        self._folder = job.scratch
        self._run_time_ms = 0
        self._failed: dict[str, int] = {}

    def read(self, line: str | None) -> Iterable[Second]:
        if line is not None and (found := RUN_TIME.match(line)):
            self._run_time_ms = int(found[1])
        elif line is not None and (found := FAILED.match(line)):
            self._failed[found[1]] = int(found[2])
        return ()

    def result(self, end: ToolEnd) -> PhaseResult:
        if not self._run_time_ms:
            raise EngineInternal("YCSB printed no run time: see its last lines.", end.log_tail)
        return PhaseResult(self._run_time_ms * 1_000_000, [self._tally(kind, end) for kind in self._kinds])

    def _tally(self, kind: OperationKind, end: ToolEnd) -> Tally:
        """The whole phase is one interval, the last line of the operation's log."""
        path = self._folder / f"times-{NAMES[kind]}.hdr"
        tally = Tally(kind, 0, errors=refused(self._failed.get(NAMES[kind], 0)))
        if path.is_file():
            try:
                tally.service = from_microseconds(path.read_text().splitlines()[-1].rpartition(",")[2])
            except (ValueError, IndexError) as error:
                raise EngineInternal("YCSB's log of times cannot be read.", end.log_tail) from error
            tally.count = int(tally.service.get_total_count())
        return tally
