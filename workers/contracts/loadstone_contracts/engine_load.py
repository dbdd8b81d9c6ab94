"""How hard an engine drives its target: closed or open loop, and how that changes over time."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from loadstone_contracts.model import Message

RetriedFault = Literal["timeout", "connection_lost", "refused"]


class ConnectionStep(Message):
    connections: int = Field(ge=1, le=100_000)
    seconds: float = Field(gt=0, le=130_000)


class Retries(Message):
    """What failed is sent again as the same operation: it counts once, its time from the first intended start."""

    attempts: int = Field(ge=1, le=100)
    """How often an operation is sent again at most."""
    on: list[RetriedFault] = Field(min_length=1)


class ClosedLoad(Message):
    kind: Literal["closed"] = "closed"
    connections: int = Field(ge=1, le=100_000)
    pipeline: int = Field(default=1, ge=1, le=1000)
    think_time_us: int = Field(default=0, ge=0, le=3_600_000_000)
    """How long a connection pauses between a reply and its next request."""
    requests_per_connection: int | None = Field(default=None, ge=1, le=2**32 - 1)
    """After so many requests a connection is closed and opened anew; its opening is part of the response time."""
    churn_per_s: float | None = Field(default=None, gt=0, le=100_000)
    """So many connections a second, over all, are closed and opened anew, each in its turn."""
    connection_steps: list[ConnectionStep] = Field(default_factory=list, max_length=1000)
    """Connections in force one after the other in the measured phase, at most `connections`; the last number stays.
    A prefill uses all, a warmup as many as the first step."""
    retries: Retries | None = None
    gather_replies: bool = False
    """Let the replies of a pipeline gather before they are read: fewer wake-ups of the engine, but each reply counts
    as late as the last one that it was gathered with."""


class ConstantRate(Message):
    """The same rate for a while; 0 is a pause."""

    kind: Literal["constant"] = "constant"
    rate_per_s: float = Field(ge=0, le=100_000_000)
    seconds: float = Field(gt=0, le=130_000)


class RampRate(Message):
    """From one rate to another in a straight line."""

    kind: Literal["ramp"] = "ramp"
    from_per_s: float = Field(ge=0, le=100_000_000)
    to_per_s: float = Field(ge=0, le=100_000_000)
    seconds: float = Field(gt=0, le=130_000)


class SinusRate(Message):
    """`base_per_s + amplitude_per_s * sin(2 pi t / period_s)`; the amplitude is at most the base."""

    kind: Literal["sinus"] = "sinus"
    base_per_s: float = Field(gt=0, le=100_000_000)
    amplitude_per_s: float = Field(gt=0, le=100_000_000)
    period_s: float = Field(gt=0, le=130_000)
    seconds: float = Field(gt=0, le=130_000)


RateSegment = Annotated[ConstantRate | RampRate | SinusRate, Field(discriminator="kind")]


class RateProfile(Message):
    """The rate as a function of the time since the measured phase began: segments one after the other, then the last
    rate for ever, or all segments again. A warmup stays at the rate of the beginning."""

    segments: list[RateSegment] = Field(min_length=1, max_length=1000)
    repeats: bool = False

    def mean_per_s(self) -> float:
        """Over all segments; of a sinus the base, which is right for whole periods."""
        return sum(_mean_per_s(one) * one.seconds for one in self.segments) / sum(one.seconds for one in self.segments)


def _mean_per_s(segment: ConstantRate | RampRate | SinusRate) -> float:
    match segment:
        case ConstantRate():
            return segment.rate_per_s
        case RampRate():
            return (segment.from_per_s + segment.to_per_s) / 2
        case SinusRate():
            return segment.base_per_s


class OpenLoad(Message):
    """Arrivals follow a schedule; `pipeline` bounds what one connection has in flight."""

    kind: Literal["open"] = "open"
    connections: int = Field(ge=1, le=100_000)
    pipeline: int = Field(default=1, ge=1, le=1000)
    arrivals: Literal["constant", "poisson", "bursty", "recorded"] = "constant"
    rate: RateProfile | None = None
    rate_per_s: float | None = Field(default=None, gt=0, le=100_000_000)
    """Exactly one of this and `rate`, none of them with recorded arrivals."""
    burst_size: int | None = Field(default=None, ge=2, le=1_000_000)
    """How many arrivals come at once where they are bursty: bursts are `burst_size / rate` apart."""
    speed: float | None = Field(default=None, gt=0, le=1_000_000)
    """How many times faster than recorded, where arrivals are."""
    requests_per_connection: int | None = Field(default=None, ge=1, le=2**32 - 1)
    """After so many requests a connection is closed and opened anew; its opening is part of the response time."""

    churn_per_s: float | None = Field(default=None, gt=0, le=100_000)
    """So many connections a second, over all, are closed and opened anew, each in its turn."""
    retries: Retries | None = None

    @model_validator(mode="after")
    def _has_one_rate(self) -> Self:
        said = (self.rate_per_s is not None) + (self.rate is not None)
        if said != (0 if self.arrivals == "recorded" else 1):
            raise ValueError("an open loop needs exactly one of rate_per_s and rate, none with recorded arrivals")
        if (self.arrivals == "bursty") != (self.burst_size is not None):
            raise ValueError("bursty arrivals, and no others, need a burst_size")
        if self.speed is not None and self.arrivals != "recorded":
            raise ValueError("only recorded arrivals have a speed")
        return self


EngineLoad = Annotated[ClosedLoad | OpenLoad, Field(discriminator="kind")]
