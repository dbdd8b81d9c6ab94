"""HdrHistogram (V2, compressed): unpack, merge, quantiles. Values are nanoseconds.

Percentiles come from merged histograms only; an average of percentiles is never formed.
"""

import base64
import binascii
import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram

LOWEST_NS = 1
HIGHEST_NS = 36_000_000_000_000
SIGNIFICANT_DIGITS = 3
V2_COMPRESSED_COOKIE = 0x1C849304
"""With the word-size nibble masked; from the HdrHistogram V2 encoding."""

HEADER_BYTES = 40
"""Of the V2 encoding: cookie, length, offset and digits in 4 bytes each, then lowest, highest and ratio in 8."""
DIGITS, LOWEST, HIGHEST = slice(12, 16), slice(16, 24), slice(24, 32)

QUANTILES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99, "p999": 0.999}
QUANTILE_NAMES = (*QUANTILES, "max")

Quantiles = dict[str, int | None]
"""Of answers alone; see `stats.stated` for those that may be shown."""


UNPACKED_BYTES_MAX = 512 * 1024
"""Of the V2 encoding: 37,888 counts of up to 9 bytes each, and the header."""
COUNT_MAX = 2**53


class BadHistogram(ValueError):
    """The bytes are not a V2 compressed histogram within 1 ns to 10 h."""


def unpack(text: str, at_most: int = COUNT_MAX) -> bytes:
    """The stored form of a histogram that crossed a boundary as base64; raises BadHistogram.

    It is decoded once, so that no reader meets one that is broken or holds more than `at_most` values.
    An engine that keeps none sends an empty text, which is stored as the empty histogram: see `is_recorded`.
    """
    if not text:
        return NOTHING
    try:
        blob = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise BadHistogram("the histogram is not base64") from error
    if len(blob) < 8 or int.from_bytes(blob[:4], "big") & ~0xF0 != V2_COMPRESSED_COOKIE & ~0xF0:
        raise BadHistogram("the histogram is not HdrHistogram V2 compressed")
    if blob != NOTHING and decode(blob).get_total_count() > at_most:
        raise BadHistogram("the histogram holds more values than there were operations")
    return blob


def unpack_some(text: str, at_most: int = COUNT_MAX) -> bytes | None:
    """As `unpack`; None for an empty text."""
    return unpack(text, at_most) if text else None


def empty() -> HdrHistogram:
    return HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)


def decode(blob: bytes) -> HdrHistogram:
    """Raises BadHistogram. hdrh decodes base64 text only, so the bytes take one turn through it."""
    _check_size(blob)
    try:
        decoded = HdrHistogram.decode(base64.b64encode(blob))
    except Exception as error:
        raise BadHistogram("the histogram cannot be decoded") from error
    counts = counts_of(decoded)
    if counts.min() < 0 or counts.max() > COUNT_MAX or counts.sum(dtype=np.float64) > COUNT_MAX:
        raise BadHistogram("the histogram has counts below zero or beyond 2^53")
    return decoded


def _check_size(blob: bytes) -> None:
    """hdrh unpacks whatever it is given and reserves what the header asks for: a few bytes could take all memory."""
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(blob[8:], UNPACKED_BYTES_MAX)
    except zlib.error as error:
        raise BadHistogram("the histogram is not HdrHistogram V2 compressed") from error
    if not unpacker.eof or len(unpacked) < HEADER_BYTES:
        raise BadHistogram("the histogram is cut off or too large")
    digits, lowest, highest = (int.from_bytes(unpacked[part], "big") for part in (DIGITS, LOWEST, HIGHEST))
    if not 1 <= digits <= SIGNIFICANT_DIGITS or not LOWEST_NS <= lowest <= HIGHEST_NS or highest > HIGHEST_NS:
        raise BadHistogram("the histogram is not within 1 ns to 10 h and 3 digits")


def encode(histogram: HdrHistogram) -> bytes:
    """The stored form."""
    return base64.b64decode(histogram.encode())


NOTHING = encode(empty())
"""Stored where there is no histogram, because no operation was answered or because the engine keeps none."""


def is_recorded(blob: bytes, count: int) -> bool:
    """False where operations were answered and no histogram of them was kept: such times cannot be merged."""
    return count == 0 or blob != NOTHING


def significant_digits(blob: bytes) -> int:
    """The precision that the histogram was recorded with; raises BadHistogram."""
    try:
        head = zlib.decompressobj().decompress(blob[8:], HEADER_BYTES)
        return int.from_bytes(head[12:16], "big")
    except zlib.error as error:
        raise BadHistogram("the histogram is not HdrHistogram V2 compressed") from error


def merge_readable(blobs: Iterable[bytes]) -> tuple[HdrHistogram, int]:
    """As `merge`, without those that cannot be read; and how many these are. Older rows were stored unchecked."""
    merged, unreadable = empty(), 0
    for blob in blobs:
        try:
            part = decode(blob)
        except BadHistogram:
            unreadable += 1
            continue
        if part.get_total_count():
            merged.add(part)
    return merged, unreadable


def merge(blobs: Iterable[bytes]) -> HdrHistogram:
    """The histogram of all values of all `blobs`; raises BadHistogram."""
    merged = empty()
    for blob in blobs:
        part = decode(blob)
        if part.get_total_count():
            merged.add(part)
    return merged


def quantiles(histogram: HdrHistogram) -> Quantiles:
    """Nearest-rank quantiles as the engine computes them: the highest value equivalent to the one at rank ceil(q x n).

    All None when the histogram is empty.
    """
    total = histogram.get_total_count()
    if not total:
        return dict.fromkeys(QUANTILE_NAMES)
    ranks = [(name, max(1, math.ceil(quantile * total))) for name, quantile in QUANTILES.items()]
    found: Quantiles = dict(zip(QUANTILES, _values_at(histogram, [rank for _, rank in ranks]), strict=True))
    return {**found, "max": int(histogram.get_max_value())}


def counts_of(histogram: Any) -> Any:
    """The counts by bucket."""
    return np.ctypeslib.as_array(histogram.encoder.payload.counts)[: histogram.counts_len]


def _values_at(histogram: Any, ranks: list[int]) -> list[int]:
    """`ranks` ascend. One pass over the counts; hdrh's own calls walk all of them in Python for each quantile."""
    counts = counts_of(histogram)
    indexes = np.searchsorted(np.cumsum(counts, dtype=np.int64), ranks)
    return [
        int(histogram.get_highest_equivalent_value(histogram.get_value_from_index(int(index)))) for index in indexes
    ]


def spectrum(histogram: HdrHistogram, size: int) -> list[tuple[float, float, int]]:
    """`(quantile, one in, value)` at up to `size` steps even in nines, and last the largest value as one in n.

    `one in` is 1 / (1 - quantile): 100 for the 99th percentile. Empty when the histogram is.
    """
    total = histogram.get_total_count()
    if not total:
        return []
    one_in = np.unique(np.geomspace(1, total, size))[:-1]
    quantiles_at = 1 - 1 / one_in
    ranks = np.maximum(1, np.ceil(quantiles_at * total)).astype(np.int64)
    values = _values_at(histogram, ranks.tolist())
    steps = [
        (float(quantile), float(share), value)
        for quantile, share, value in zip(quantiles_at, one_in, values, strict=True)
    ]
    return [*steps, (1.0, float(total), int(histogram.get_max_value()))]


def counts_between(histogram: Any, edges: Sequence[float]) -> list[int]:
    """How many values lie in each `[edges[i], edges[i + 1])`; what lies outside counts at the nearest end."""
    counts = counts_of(histogram)
    filled = np.flatnonzero(counts)
    values = values_of(histogram, filled)
    rows = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return [int(count) for count in np.bincount(rows, weights=counts[filled], minlength=len(edges) - 1)]


def values_of(histogram: Any, indexes: Any) -> Any:
    """The middle value of each bucket, as HdrHistogram lays them out: halves of a power of two in even steps."""
    half_bits = histogram.sub_bucket_half_count_magnitude
    half = histogram.sub_bucket_half_count
    bucket = (indexes >> half_bits) - 1
    within = (indexes & (half - 1)) + half
    within = np.where(bucket < 0, within - half, within)
    shift = np.maximum(bucket, 0) + histogram.unit_magnitude
    return (within << shift) + ((1 << shift) >> 1)
