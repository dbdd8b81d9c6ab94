"""Quantiles as the public API shows them. Nanoseconds."""

from typing import Literal

from pydantic import BaseModel


class Bound(BaseModel):
    """The upper end of a quantile that requests without an answer touch; `to_ns` is null where there is none."""

    kind: Literal["at_least", "between"]
    to_ns: int | None


class VoidQuantile(BaseModel):
    """Why a quantile may not be believed: `too_few_answers` or `distorted`."""

    code: str
    message: str


class QuantileInterval(BaseModel):
    """95 % by the number of requests alone (order statistics); null where there is no such end."""

    low_ns: int | None
    high_ns: int | None


QuantileName = Literal["p50", "p90", "p95", "p99", "p999", "max"]


class Quantiles(BaseModel):
    """From one (merged) histogram of answers and one of requests without an answer. All null when both are empty.

    A quantile is exact unless `bounds` names it: then its value is the least that it can be. One that `void` names
    enters no curve, comparison or series. `intervals` are of whole trials and points.
    """

    p50: int | None
    p90: int | None
    p95: int | None
    p99: int | None
    p999: int | None
    max: int | None
    bounds: dict[QuantileName, Bound] = {}
    void: dict[QuantileName, VoidQuantile] = {}
    intervals: dict[QuantileName, QuantileInterval] = {}
