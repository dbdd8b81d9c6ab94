"""Engines of this agent's own configuration file: what nobody but the host's owner can name.

The file (`LOADSTONE_ENGINES_FILE`) is JSON: `{"engines": [{"name", "title", "command": [...], "protocols": [...],
"operations": [...]}]}`. Each entry is offered as `custom:NAME`. `command` begins with the path of a program; its other
words may hold the places `{host} {port} {connections} {operations} {seconds} {key_count} {key_prefix} {key_size_bytes}
{value_bytes} {operation} {protocol} {seed}`, which are filled with what the plan says and nothing else. The program
prints one JSON object as its last line:
`{"elapsed_s": 1.5, "count": 1000, "errors": 0, "histogram_us": {"120": 900, "250": 100}}`; without a histogram
(microseconds to counts) it may give `"percentiles_us": {"p50": 1, "p90": 1, "p95": 1, "p99": 1, "p999": 1, "max": 1}`.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from string import Formatter

from loadstone_contracts.engine_events import MissingMetric
from loadstone_contracts.engine_plan import OperationKind, StoreProtocol
from loadstone_contracts.engine_times import Quantiles
from loadstone_contracts.engines import CUSTOM_PREFIX, EngineInfo
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.base import Engine
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, histogram_of, refused
from loadstone_agent.engines.tool import Command, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal

PLACES = frozenset(
    {
        *("host", "port", "connections", "operations", "seconds", "key_count", "key_prefix", "key_size_bytes"),
        *("value_bytes", "operation", "protocol", "seed"),
    }
)
NS_PER_US = 1000


class ConfiguredEngine(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    title: str = Field(min_length=1, max_length=100)
    command: list[str] = Field(min_length=1, max_length=100)
    protocols: list[StoreProtocol] = Field(min_length=1)
    operations: list[OperationKind] = Field(min_length=1)

    @field_validator("command")
    @classmethod
    def _known_places(cls, words: list[str]) -> list[str]:
        if not Path(words[0]).is_absolute() or re.search(r"[{}]", words[0]):
            raise ValueError("the command begins with the whole path of a program")
        unknown = {name for word in words for _, name, _, _ in Formatter().parse(word) if name is not None} - PLACES
        if unknown:
            raise ValueError(f"unknown places: {', '.join(sorted(unknown))}; known: {', '.join(sorted(PLACES))}")
        return words


class _Configuration(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    engines: list[ConfiguredEngine]


def read_configuration(path: Path | None) -> list[ConfiguredEngine]:
    """Empty without a file. Raises BadPlan for one that cannot be read."""
    if path is None:
        return []
    try:
        return _Configuration.model_validate_json(path.read_bytes()).engines
    except (OSError, ValidationError) as error:
        message = f"The file of engines {path} cannot be used: correct it and start the agent anew."
        raise BadPlan(message, str(error)) from error


class ConfiguredAdapter(Adapter):
    def __init__(self, configured: ConfiguredEngine, native: Engine, root: Path) -> None:
        super().__init__(native, root)
        self._configured = configured
        self.info = EngineInfo(
            name=CUSTOM_PREFIX + configured.name,
            title=configured.title,
            kind="tool",
            protocols=tuple(configured.protocols),
            operations=tuple(configured.operations),
            times="histogram",
            missing=(MissingMetric(metric="samples", reason="its program reports once, at its end"),),
            remedy=f"see {configured.command[0]}",
        )

    def find(self) -> Found:
        program = Path(self._configured.command[0])
        if not program.is_file():
            raise self.missing()
        printed = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10)
        return Found(str(program), (printed.stdout or printed.stderr).strip().split("\n")[0][:100] or "unknown")

    def command(self, job: PhaseJob) -> Command:
        if len(job.plan.operations) != 1 or job.plan.operations[0].kind not in self._configured.operations:
            raise BadPlan(f"{self.info.title} sends one of: {', '.join(self._configured.operations)}.")
        if job.plan.dataset.value_size.kind != "fixed":
            raise BadPlan(f"{self.info.title} writes values of one size only.")
        dataset = job.plan.dataset
        places: dict[str, object] = {
            "host": job.address.host,
            "port": job.address.port,
            "connections": job.connections,
            "operations": job.operations or 0,
            "seconds": f"{job.seconds or 0:g}",
            "key_count": dataset.key_count,
            "key_prefix": dataset.key_prefix,
            "key_size_bytes": dataset.key_size_bytes,
            "value_bytes": job.fixed_value_bytes,
            "operation": job.plan.operations[0].kind,
            "protocol": job.plan.target.protocol,
            "seed": job.plan.seed,
        }
        filled = [word.format(**places) for word in self._configured.command]
        if any(
            word.startswith("-") > written.startswith("-")
            for word, written in zip(filled, self._configured.command, strict=True)
        ):
            raise BadPlan("A key prefix or host that begins with '-' would be read as an option: change it.")
        return Command(filled)

    def reach(self, job: PhaseJob) -> None:
        """The agent's owner wrote its command, and only they know what it reads."""

    def reader(self, job: PhaseJob) -> "_Reader":
        return _Reader(job, self.info.title)


class _Report(BaseModel):
    model_config = ConfigDict(extra="forbid")

    elapsed_s: float = Field(gt=0, le=10_000_000)
    count: int = Field(ge=0)
    errors: int = Field(default=0, ge=0)
    histogram_us: dict[int, int] = Field(default_factory=dict, max_length=100_000)
    percentiles_us: dict[str, float] = Field(default_factory=dict)


class _Reader(OutputReader):
    def __init__(self, job: PhaseJob, title: str) -> None:
        self._operation = job.plan.operations[0].kind
        self._title = title
        self._last = ""

    def read(self, line: str | None) -> Iterable[Second]:
        self._last = line or self._last
        return ()

    def result(self, end: ToolEnd) -> PhaseResult:
        try:
            report = _Report.model_validate_json(self._last)
            tally = Tally(self._operation, report.count, errors=refused(report.errors))
            if report.histogram_us:
                tally.service = histogram_of({us * NS_PER_US: count for us, count in report.histogram_us.items()})
            elif report.percentiles_us:
                names = Quantiles.model_fields
                found = {name: round(us * NS_PER_US) for name, us in report.percentiles_us.items()}
                tally.quantiles = Quantiles.model_validate({**dict.fromkeys(names), **found})
        except ValueError as error:
            message = f"The last line of {self._title} is not the report that an engine of this agent prints."
            raise EngineInternal(message, f"{self._last[:500]}\n{error}") from error
        if tally.service and tally.service.get_total_count() != report.count:
            raise EngineInternal(f"The histogram of {self._title} does not add up to its count.", end.log_tail)
        return PhaseResult(round(report.elapsed_s * 1e9), [tally])
