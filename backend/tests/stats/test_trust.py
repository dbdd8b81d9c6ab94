"""Each reason of the trust verdict, on both sides of its threshold."""

from dataclasses import replace
from typing import Any

import pytest
from loadstone.stats import trust
from loadstone.stats.trust import TrialFacts, judge

CLOSED = TrialFacts(
    answered=100_000,
    failed=0,
    offered=100_000,
    elapsed_ns=10_000_000_000,
    late_share=0.0,
    engine_busy_share=0.4,
    littles_law_residual=0.01,
    saturated=False,
    open_loop=False,
    prefilled=True,
    hits=100_000,
    cpu_busy_share_before=0.05,
    swap_used_bytes=0,
)
OPEN = replace(CLOSED, open_loop=True, rate_per_s=10_000.0)


def test_a_sound_trial_passes_without_reasons() -> None:
    assert judge(CLOSED) == ("pass", [])
    assert judge(OPEN) == ("pass", [])


@pytest.mark.parametrize(
    ("base", "changes", "verdict", "code"),
    [
        (CLOSED, {"answered": 0, "offered": 0, "hits": 0}, "void", "nothing_answered"),
        (CLOSED, {"stopped_early": True}, "void", "stopped_early"),
        (CLOSED, {"failed": 101}, "warn", "errors"),
        (CLOSED, {"failed": 20_000}, "void", "errors"),
        (CLOSED, {"saturated": True}, "warn", "engine_saturated"),
        (CLOSED, {"engine_busy_share": 0.97}, "warn", "engine_saturated"),
        (OPEN, {"saturated": True, "late_share": 0.2}, "warn", "engine_saturated"),
        (CLOSED, {"answered": 1, "unanswered": 29_999}, "void", "mostly_unanswered"),
        (OPEN, {"answered": 99_500, "unanswered": 500}, "warn", "unanswered"),
        (CLOSED, {"hung_connections": 4, "hung_ns": 5_600_000_000}, "warn", "connections_hung"),
        (CLOSED, {"failed": 50_000, "lost": 50_000, "unanswered": 50_000}, "warn", "unanswered"),
        (OPEN, {"late_share": 0.02}, "warn", "late_operations"),
        (CLOSED, {"littles_law_residual": -0.2}, "warn", "littles_law"),
        (CLOSED, {"littles_law_residual": 0.6}, "void", "littles_law"),
        (OPEN, {"offered": 90_000, "answered": 90_000}, "void", "rate_not_offered"),
        (OPEN, {"answered": 90_000}, "warn", "rate_not_reached"),
        (CLOSED, {"hits": 95_000, "misses": 5_000}, "warn", "hit_ratio"),
        (CLOSED, {"hits": 10_000, "misses": 90_000}, "void", "hit_ratio"),
        (CLOSED, {"planned_hit_ratio": 0.9}, "warn", "hit_ratio"),  # every read hits: not what was asked for
        (CLOSED, {"keys_planned": 1_000, "keys_held": 900}, "warn", "key_count"),
        (CLOSED, {"keys_planned": 1_000, "keys_held": 0}, "void", "key_count"),
        (CLOSED, {"keys_planned": 1_000, "keys_held": 1_200}, "warn", "key_count"),
        (CLOSED, {"cpu_busy_share_before": 0.5}, "warn", "competing_load"),
        (CLOSED, {"steal_share": 0.05}, "warn", "cpu_stolen"),
        (CLOSED, {"steal_share": 0.3}, "void", "cpu_stolen"),
        (CLOSED, {"others_busy_share": 0.2}, "warn", "competing_load_during"),
        (CLOSED, {"swapped_bytes": 2 << 20}, "warn", "swapping"),
        (CLOSED, {"swap_used_bytes": 1 << 30}, "warn", "swap_used"),
        (CLOSED, {"shared_cpu": True}, "warn", "shared_cpu"),
        (CLOSED, {"samples_missing": 1}, "warn", "samples_missing"),
    ],
)
def test_each_fault_is_found_alone(base: TrialFacts, changes: dict[str, Any], verdict: str, code: str) -> None:
    found, reasons = judge(replace(base, **changes))
    assert (found, [reason["code"] for reason in reasons]) == (verdict, [code])
    assert reasons[0]["message"]
    assert reasons[0]["evidence"]["severity"] == verdict


@pytest.mark.parametrize(
    "facts",
    [
        replace(CLOSED, failed=99),
        replace(CLOSED, late_share=0.5),  # a closed loop has no schedule to be late against
        replace(CLOSED, littles_law_residual=0.09),
        replace(CLOSED, answered=900, offered=900, hits=900, littles_law_residual=0.9),  # too few to say
        replace(OPEN, offered=99_500, answered=99_500),
        replace(CLOSED, prefilled=False, hits=0, misses=100_000),  # nothing was promised to be there
        replace(CLOSED, swap_used_bytes=trust.SWAP_USED_WARN_BYTES - 1),
        replace(CLOSED, hits=90_500, misses=9_500, planned_hit_ratio=0.9),
        replace(CLOSED, hits=85, misses=15, planned_hit_ratio=0.9),  # a hundred draws scatter by 3 % on their own
        replace(CLOSED, keys_planned=10, keys_held=11),  # the marker
        replace(CLOSED, keys_planned=1_000, keys_held=5, prefilled=False),
        replace(CLOSED, steal_share=0.01, others_busy_share=0.05, swapped_bytes=4096),
    ],
)
def test_under_the_threshold_nothing_is_said(facts: TrialFacts) -> None:
    assert judge(facts) == ("pass", [])


def test_poisson_scatter_of_a_short_trial_is_not_held_against_it() -> None:
    facts = replace(OPEN, rate_per_s=100.0, offered=950, answered=950, hits=950)
    assert judge(facts)[0] == "pass"


def test_void_reasons_come_first() -> None:
    verdict, reasons = judge(replace(CLOSED, shared_cpu=True, failed=50_000))
    assert verdict == "void"
    assert [reason["code"] for reason in reasons] == ["errors", "shared_cpu"]


@pytest.mark.parametrize(("busy_share", "remedy"), [(0.97, "give it more threads"), (0.2, "give it cores of its own")])
@pytest.mark.parametrize("base", [CLOSED, OPEN])
def test_a_saturated_engine_is_told_what_it_lacks(base: TrialFacts, busy_share: float, remedy: str) -> None:
    _, reasons = judge(replace(base, saturated=True, late_share=0.2, engine_busy_share=busy_share))
    assert reasons[0]["code"] == "engine_saturated"
    assert remedy in reasons[0]["message"]
