"""Fewer points for a chart without losing what matters: pure."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
KEPT_PER_BUCKET_AND_KEY = 2


def keep_extremes(
    items: Sequence[Item],
    max_points: int,
    keys: Sequence[Callable[[Item], float | None]],
) -> list[Item]:
    """At most `max_points` of `items`, in order: of every bucket the lowest and highest by each key.

    Never every k-th: a stall of one second stays visible in an hour. The first and the last item stay too.
    Needs `max_points >= 2 + 2 x len(keys)`.
    """
    if len(items) <= max_points:
        return list(items)
    bucket_count = max(1, (max_points - 2) // (KEPT_PER_BUCKET_AND_KEY * len(keys)))
    kept = {0, len(items) - 1}
    for bucket in range(bucket_count):
        indexes = range(bucket * len(items) // bucket_count, (bucket + 1) * len(items) // bucket_count)
        for key in keys:
            kept.update(_extremes(items, indexes, key))
    return [items[index] for index in sorted(kept)]


def _extremes(items: Sequence[Item], indexes: range, key: Callable[[Item], float | None]) -> set[int]:
    valued = [(value, index) for index in indexes if (value := key(items[index])) is not None]
    return {min(valued)[1], max(valued)[1]} if valued else set()
