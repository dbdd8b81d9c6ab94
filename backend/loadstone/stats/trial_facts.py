"""What the verdict on a trial looks at, and what it finds. Pure."""

from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["warn", "void"]


@dataclass(frozen=True)
class TrialFacts:
    """What the verdict looks at: the measure phase, the plan's rate and the host. Shares are 0 to 1."""

    answered: int
    failed: int
    offered: int
    elapsed_ns: int
    late_share: float
    engine_busy_share: float
    littles_law_residual: float
    saturated: bool
    open_loop: bool
    stopped_early: bool = False
    rate_per_s: float | None = None
    prefilled: bool = False
    hits: int = 0
    misses: int = 0
    planned_hit_ratio: float = 1.0
    keys_planned: int | None = None
    """Known where the operations neither add keys nor take any away."""
    keys_held: int | None = None
    cpu_busy_share_before: float | None = None
    swap_used_bytes: int | None = None
    steal_share: float | None = None
    others_busy_share: float | None = None
    swapped_bytes: int | None = None
    shared_cpu: bool = False
    samples_missing: int = 0
    store_killed: bool = False
    """By plan: what was under way when it died failed, and the measurement ended there."""
    evicted: float = 0.0
    """Keys that the store threw out in the measure phase."""
    ran_out_of_memory: bool = False
    store_restarted: bool = False
    lost: int = 0
    """Of those failed, how many timed out or lost their connection: they are in the percentiles as lower bounds."""
    unanswered: int = 0
    """Those, and what was in flight at the end or never sent."""
    hung_connections: int = 0
    hung_ns: int = 0


@dataclass(frozen=True)
class Reason:
    """`evidence` holds the figures and the threshold the verdict rests on."""

    severity: Severity
    code: str
    message: str
    evidence: dict[str, Any] = field(default_factory=dict)
