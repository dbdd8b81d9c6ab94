"""How large values and keys are, as an engine's plan says it."""

from typing import Annotated, Literal

from pydantic import Field

from loadstone_contracts.model import Message


class FixedSize(Message):
    kind: Literal["fixed"] = "fixed"
    bytes: int = Field(ge=1, le=64 * 1024 * 1024)


class UniformSize(Message):
    """Sizes drawn per key (not per operation), inclusive on both ends, so a value can be verified."""

    kind: Literal["uniform"] = "uniform"
    min_bytes: int = Field(ge=1, le=64 * 1024 * 1024)
    max_bytes: int = Field(ge=1, le=64 * 1024 * 1024)


class NormalSize(Message):
    """Sizes by the normal distribution, those outside the bounds moved onto them."""

    kind: Literal["normal"] = "normal"
    mean_bytes: float = Field(gt=0, le=64 * 1024 * 1024)
    deviation_bytes: float = Field(ge=0, le=64 * 1024 * 1024)
    min_bytes: int = Field(default=1, ge=1, le=64 * 1024 * 1024)
    max_bytes: int = Field(ge=1, le=64 * 1024 * 1024)


class LogNormalSize(Message):
    """Sizes whose logarithm (natural) has a normal distribution around that of the median."""

    kind: Literal["log_normal"] = "log_normal"
    median_bytes: float = Field(gt=0, le=64 * 1024 * 1024)
    sigma: float = Field(ge=0, le=20)
    min_bytes: int = Field(default=1, ge=1, le=64 * 1024 * 1024)
    max_bytes: int = Field(ge=1, le=64 * 1024 * 1024)


class SizeBucket(Message):
    min_bytes: int = Field(ge=1, le=64 * 1024 * 1024)
    max_bytes: int = Field(ge=1, le=64 * 1024 * 1024)
    weight: float = Field(gt=0)


class HistogramSize(Message):
    """Sizes as they were counted somewhere: those of a bucket in proportion to its weight."""

    kind: Literal["histogram"] = "histogram"
    buckets: list[SizeBucket] = Field(min_length=1, max_length=10_000)


class FacebookSize(Message):
    """Sizes of the pool ETC as Atikoglu et al. 2012 found them."""

    kind: Literal["facebook"] = "facebook"
    max_bytes: int = Field(default=1_000_000, ge=15, le=64 * 1024 * 1024)


ValueSize = Annotated[
    FixedSize | UniformSize | NormalSize | LogNormalSize | HistogramSize | FacebookSize, Field(discriminator="kind")
]
