"""Clients that take turns, and what is made of their rounds."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """One client run: CPU microseconds an operation, and operations a second of wall time."""

    cpu_us: float
    rate_per_s: float

    @classmethod
    def of(cls, cpu_s: float, start_cpu_s: float, operations: int, elapsed_s: float) -> "Cost":
        """`start_cpu_s` is what the same program needs before its first operation."""
        return cls((cpu_s - start_cpu_s) * 1e6 / operations, operations / elapsed_s)


def in_turn(names: Sequence[str], number: int) -> list[str]:
    """Every second round goes backwards, so that nobody always comes after the same one."""
    return list(names[:: 1 if number % 2 == 0 else -1])


def median_cpu_us(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.cpu_us for cost in costs)


def median_rate_per_s(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.rate_per_s for cost in costs)


def ratio_of_rounds(own: Sequence[Cost], other: Sequence[Cost]) -> float:
    """The median of each round's ratio: the machine's mood of a round is in both of its sides."""
    return statistics.median(a.cpu_us / b.cpu_us for a, b in zip(own, other, strict=True))
