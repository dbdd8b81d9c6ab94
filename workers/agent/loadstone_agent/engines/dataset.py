"""The workload's keys and values, byte for byte as our engine writes them, and the order they are asked for in.

A key is `key_prefix` + zero-padded decimal index, `key_size_bytes` long. A value is the 8 bytes of `mix64(index)`,
least first, and then the bytes of a pool from place `mix64(index) % 65536 + 8` on; the pool is `mix64(0)`, `mix64(1)`
... in 8 bytes each, and of every 256 bytes the compressible share is `x`. See `values.rs` and `keys.rs` of the engine.
"""

import math
import random
import struct
from array import array
from collections.abc import Iterator

from loadstone_contracts.engine_plan import Access, Dataset, EnginePlan

PLACES = 65536
SAME_EVERY = 256
TAG_BYTES = 8
MASK = 0xFFFF_FFFF_FFFF_FFFF


def mix64(value: int) -> int:
    """The finaliser of SplitMix64 (Steele et al. 2014)."""
    z = (value + 0x9E37_79B9_7F4A_7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB) & MASK
    return z ^ (z >> 31)


class DataShape:
    """Keys and values of a dataset of fixed or uniform value sizes."""

    def __init__(self, dataset: Dataset) -> None:
        size = dataset.value_size
        self._dataset = dataset
        if size.kind == "fixed":
            self.min_bytes, self.max_bytes = size.bytes, size.bytes
        elif size.kind == "uniform":
            self.min_bytes, self.max_bytes = size.min_bytes, size.max_bytes
        else:
            raise ValueError(f"sizes of {size.kind} are our own engine's alone")
        words = -(-(PLACES + self.max_bytes) // 8)
        pool = bytearray(struct.pack(f"<{words}Q", *(mix64(word) for word in range(words))))
        same = math.floor(dataset.compressible_share * SAME_EVERY + 0.5)
        for start in range(0, len(pool), SAME_EVERY) if same else ():
            end = min(start + same, len(pool))
            pool[start:end] = b"x" * (end - start)
        self.pool = bytes(pool)

    def key(self, index: int) -> str:
        return f"{self._dataset.key_prefix}{index:0{self.digits}d}"

    @property
    def digits(self) -> int:
        return self._dataset.key_size_bytes - len(self._dataset.key_prefix)

    def size_bytes(self, index: int) -> int:
        span = self.max_bytes - self.min_bytes + 1
        return self.min_bytes + ((mix64(~index & MASK) * span >> 64) if span > 1 else 0)

    def value(self, index: int) -> bytes:
        size, tag = self.size_bytes(index), mix64(index)
        place = tag % PLACES
        return (struct.pack("<Q", tag) + self.pool[place + TAG_BYTES : place + size])[:size]


def drawn_keys(plan: EnginePlan, count: int) -> Iterator[int]:
    """Indexes by the plan's access and seed; the same for the same plan, but not our engine's order."""
    draw = random.Random(plan.seed)  # noqa: S311 - a load, not a secret
    return _drawn(plan.access, plan.dataset.key_count, draw, count)


def _drawn(access: Access, keys: int, draw: random.Random, count: int) -> Iterator[int]:
    scattered = _scatter(keys, draw)
    match access.kind:
        case "uniform":
            return (int(draw.random() * keys) for _ in range(count))
        case "zipf":
            ranks = _zipf_ranks(keys, access.exponent, draw, count)
            return (scattered(rank) for rank in ranks)
        case "hot_set":
            hot = max(1, round(keys * access.key_share))
            share = access.operation_share
            return (scattered(_of_hot_set(draw, hot, keys, share)) for _ in range(count))
        case "gaussian":
            middle, deviation = keys / 2, keys * access.deviation_share
            return (min(keys - 1, max(0, int(draw.gauss(middle, deviation)))) for _ in range(count))
        case "sequential":
            return (place % keys for place in range(count))
        case "permutation":
            return (scattered(place % keys) for place in range(count))
        case _:
            raise ValueError(f"access by {access.kind} is our own engine's alone")


def _of_hot_set(draw: random.Random, hot: int, keys: int, share: float) -> int:
    if draw.random() < share or hot == keys:
        return int(draw.random() * hot)
    return hot + int(draw.random() * (keys - hot))


def _scatter(keys: int, draw: random.Random) -> "_Permutation":
    step = draw.randrange(1, keys + 1)
    while math.gcd(step, keys) != 1:
        step = step % keys + 1
    return _Permutation(keys, step, draw.randrange(keys))


class _Permutation:
    """rank -> (rank x step + start) mod keys, with step and keys coprime: every key once."""

    def __init__(self, keys: int, step: int, start: int) -> None:
        self._keys, self._step, self._start = keys, step, start

    def __call__(self, rank: int) -> int:
        return (rank * self._step + self._start) % self._keys


def _zipf_ranks(keys: int, exponent: float, draw: random.Random, count: int) -> Iterator[int]:
    """By rejection-inversion (Hörmann and Derflinger 1996): constant time for any number of keys."""
    low, high = _area(1.5, exponent) - 1.0, _area(keys + 0.5, exponent)
    sure = 2.0 - _area_inverse(_area(2.5, exponent) - 2.0**-exponent, exponent)
    for _ in range(count):
        while True:
            area = high + draw.random() * (low - high)
            place = _area_inverse(area, exponent)
            rank = min(keys, max(1, int(place + 0.5)))
            if rank - place <= sure or area >= _area(rank + 0.5, exponent) - float(rank) ** -exponent:
                yield rank - 1
                break


def _area(place: float, exponent: float) -> float:
    """The integral of x^-exponent."""
    log = math.log(place)
    return log if exponent == 1 else math.expm1((1 - exponent) * log) / (1 - exponent)


def _area_inverse(area: float, exponent: float) -> float:
    return math.exp(area) if exponent == 1 else math.exp(math.log1p((1 - exponent) * area) / (1 - exponent))


def drawn_operations(plan: EnginePlan, count: int) -> bytes:
    """The index of the operation of each request, by weight."""
    draw = random.Random(plan.seed ^ 0x6F70)  # noqa: S311
    weights = [operation.weight for operation in plan.operations]
    if len(weights) == 1:
        return bytes(count)
    return bytes(draw.choices(range(len(weights)), weights, k=count))


def request_script(plan: EnginePlan, count: int) -> bytes:
    """`count` requests of 24 bytes each, least byte first: operation (8), key index (8), tag of its value (8)."""
    words = array("Q")
    for operation, key in zip(drawn_operations(plan, count), drawn_keys(plan, count), strict=True):
        words.extend((operation, key, mix64(key)))
    return words.tobytes()
