"""YCSB: its own table, records of one field of the workload's value size."""

import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from hdrh.histogram import HdrHistogram
from loadstone_contracts.engine_plan import EnginePlan, OperationKind
from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, from_microseconds, merged, refused
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineHung, EngineInternal, EngineMissing, TargetUnreachable

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
HISTOGRAM_MIN = (2, 1, 10)
"""The jar that comes with YCSB 0.17 needs a class that Java has not had since version 11."""
UNBOUNDED = 2_000_000_000
IDLE_LIMIT_S = 60.0
"""Its Java uses some CPU whatever happens, and a driver without a server tries anew at each operation."""
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
        if not any(_version(jar) >= HISTOGRAM_MIN for jar in (home / "lib").glob("HdrHistogram-*.jar")):
            needed = ".".join(map(str, HISTOGRAM_MIN))
            raise EngineMissing(
                f"YCSB in {home} cannot write its times on Java 11 or newer: put HdrHistogram {needed} or newer into "
                "its lib in place of the one that is there."
            )
        return Found(java, core.stem.removeprefix("core-"), (str(home),))

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.load.connections, max(1, len(plan.cpus)))

    def command(self, job: PhaseJob) -> Command:
        limit = ["-p", f"operationcount={job.operations or UNBOUNDED}"]
        if job.seconds is not None:
            limit += ["-p", f"maxexecutiontime={max(1, round(job.seconds))}"]
        arguments = [*self._base(job), "-t", "-s", "-threads", str(job.connections), *limit, *_mix(job.plan)]
        output = ["-p", "measurementtype=hdrhistogram", "-p", "hdrhistogram.fileoutput=true", "-p", "status.interval=1"]
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

    def readable(self, job: PhaseJob) -> list[Path]:
        return [Path(job.found.extra[0])]

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


def _version(jar: Path) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", jar.stem)))


class _Reader(OutputReader):
    """With its status switched on it adds a line a second to a file of times for each operation."""

    def __init__(self, job: PhaseJob) -> None:
        self._whole = {operation.kind: Tally(operation.kind, 0) for operation in job.plan.operations}
        self._folder = job.scratch
        self._offsets: dict[OperationKind, int] = {}
        self._run_time_ms = 0
        self._failed: dict[str, int] = {}
        self._began_at = self._told_at = time.monotonic()

    def read(self, line: str | None) -> Iterable[Second]:
        if line is not None and (found := RUN_TIME.match(line)):
            self._run_time_ms = int(found[1])
        elif line is not None and (found := FAILED.match(line)):
            self._failed[found[1]] = int(found[2])
        elif line is None:
            yield from self._follow()

    def rest(self) -> Iterable[Second]:
        yield from self._follow()

    def _follow(self) -> Iterable[Second]:
        """Raises EngineHung and EngineInternal."""
        fresh = [Tally(kind, 0, service=self._new_times(kind)) for kind in self._whole]
        now = time.monotonic()
        for tally in fresh:
            assert tally.service is not None
            tally.count = int(tally.service.get_total_count())
            whole = self._whole[tally.operation]
            whole.count, whole.service = whole.count + tally.count, merged([whole.service, tally.service])
        if any(tally.count for tally in fresh):
            yield Second(round((now - self._began_at) * 1e9), round((now - self._told_at) * 1e9), fresh)
            self._told_at = now
        elif now - self._told_at > IDLE_LIMIT_S:
            raise EngineHung(f"YCSB finished no operation for {IDLE_LIMIT_S:.0f} s: see whether the target answers.")

    def _new_times(self, kind: OperationKind) -> HdrHistogram:
        path = self._folder / f"times-{NAMES[kind]}.hdr"
        if not path.is_file():
            return merged([])
        with path.open("rb") as file:
            file.seek(self._offsets.get(kind, 0))
            # A line without its end is still being written.
            data = file.read().rpartition(b"\n")[0]
        self._offsets[kind] = self._offsets.get(kind, 0) + len(data) + bool(data)
        rows = [line for line in data.decode().splitlines() if line[:1].isdigit()]
        try:
            return merged(from_microseconds(row.rpartition(",")[2]) for row in rows)
        except ValueError as error:
            raise EngineInternal("YCSB's log of times cannot be read.", str(error)) from error

    def result(self, end: ToolEnd) -> PhaseResult:
        if not self._run_time_ms:
            raise EngineInternal("YCSB printed no run time: see its last lines.", end.log_tail)
        for kind, tally in self._whole.items():
            tally.errors = refused(self._failed.get(NAMES[kind], 0))
        return PhaseResult(self._run_time_ms * 1_000_000, list(self._whole.values()))
