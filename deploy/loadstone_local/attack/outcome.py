"""What one attack tried and how it ended, and the figures over all of them."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

REVOCATION_LIMIT_S = 5.0
RETRY_LIMIT_S = 10.0
DELAY_LIMIT_S = 5.0


class NotTried(Exception):
    """The attack could not be carried out, so its failure would prove nothing."""


@dataclass(frozen=True)
class Outcome:
    """`succeeded` is judged by what changed on the machine, not by what the victim said."""

    family: str
    name: str
    tried: str
    succeeded: bool
    seen: str = ""

    def line(self) -> str:
        return f"{'SUCCEEDED' if self.succeeded else 'failed'}  {self.family}: {self.name}" + (
            f" ({self.seen})" if self.seen else ""
        )


@dataclass(frozen=True)
class Figure:
    """One JSON line of `make bench-security`; it holds when the value is at most the limit."""

    name: str
    value: float
    unit: str
    limit: float
    method: str
    n: int

    def line(self) -> str:
        fields = asdict(self)
        method, n = fields.pop("method"), fields.pop("n")
        fields["value"] = round(self.value, 3)
        return json.dumps({**fields, "holds": self.value <= self.limit, "method": method, "n": n})


@dataclass
class Record:
    """Everything that one call of `make attack` found."""

    outcomes: list[Outcome] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What kept an attack from being tried, and what a storm left broken."""
    quiet: dict[str, int] = field(default_factory=dict)
    """Attacks of a family that failed and are only counted: requests to the api, by the thousand."""
    skipped: list[str] = field(default_factory=list)
    """What this machine cannot try, with the reason."""

    def families(self) -> list[str]:
        return list(dict.fromkeys([*self.quiet, *(outcome.family for outcome in self.outcomes)]))

    def tried(self) -> int:
        return len(self.outcomes) + sum(self.quiet.values())

    def counts(self) -> list[Figure]:
        """Two figures a family: attacks tried (no limit but their own number) and attacks that succeeded."""
        figures = []
        for family in self.families():
            of_family = [outcome for outcome in self.outcomes if outcome.family == family]
            succeeded = [outcome.name for outcome in of_family if outcome.succeeded]
            method = "replayed on a live stack; judged by canary files, processes and rows"
            if succeeded:
                method += f"; succeeded: {', '.join(succeeded)}"
            tried = len(of_family) + self.quiet.get(family, 0)
            name = f"attacks_{family.replace(' ', '_').replace('-', '_')}"
            figures.append(Figure(f"{name}_tried", tried, "attacks", tried, method, tried))
            figures.append(Figure(f"{name}_succeeded", len(succeeded), "attacks", 0, method, tried))
        return figures

    def holds(self) -> bool:
        return (
            not self.faults
            and not any(outcome.succeeded for outcome in self.outcomes)
            and all(figure.value <= figure.limit for figure in self.figures)
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
