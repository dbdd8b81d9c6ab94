"""Randomized blocks: the order of the targets within each block. Pure.

Source: R. A. Fisher, "The design of experiments" (1935). With the order drawn anew in each block, the difference within
a block is symmetric around the effect whatever disturbs the machine: drift, waves of any period, batches. A balanced
order (A B, then B A) meets a disturbance of period 4 halfway and calls 40 % and more of equal targets different.
"""

import random
from collections.abc import Sequence

FEW_BLOCKS = 6
"""Up to here a plan may by chance run a contender always after its base; it is drawn again then."""
DRAWS_MAX = 2_000


def block_orders(members: int, blocks: int, draw: random.Random) -> list[list[int]]:
    """Return an order of 0 ... members-1 for each block; 0 is the base.

    With two to six blocks, the whole list is drawn again until every contender runs at least once before and once
    after the base.
    """
    orders = _draw(members, blocks, draw)
    if members < 2 or not 2 <= blocks <= FEW_BLOCKS:
        return orders
    for _ in range(DRAWS_MAX):
        if runs_on_both_sides(orders):
            break
        orders = _draw(members, blocks, draw)
    return orders


def _draw(members: int, blocks: int, draw: random.Random) -> list[list[int]]:
    return [draw.sample(range(members), members) for _ in range(blocks)]


def runs_on_both_sides(orders: Sequence[Sequence[int]]) -> bool:
    """Does every contender run before the base in one block and after it in another?"""
    before: set[int] = set()
    after: set[int] = set()
    for order in orders:
        place = order.index(0)
        before.update(order[:place])
        after.update(order[place + 1 :])
    return before == after
