"""The verdict on one trial: may its numbers be believed? Pure; thresholds with the reason for each."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

from loadstone.stats.trial_facts import Reason, Severity, TrialFacts

Verdict = Literal["pass", "warn", "void"]

ENGINE_BUSY_SHARE_WARN = 0.90
"""Above this a load thread has no slack left to notice an answer at once, and service times grow by its queue."""
LATE_SHARE_WARN = 0.01
"""One late operation in a hundred moves p99: what p99 shows is then the wait before the send."""
LITTLES_LAW_WARN = 0.10
"""In flight = throughput x service time holds to a few percent in any honest measurement of a second or more."""
LITTLES_LAW_VOID = 0.50
"""Half of what was in flight is unaccounted for: count, clock or histogram is wrong."""
LITTLES_LAW_MIN_COUNT = 1_000
"""With fewer operations the mean in flight is itself too uncertain to hold against anything."""
ERROR_SHARE_WARN = 0.001
"""At p99.9 one error in a thousand hides as much as the percentile shows."""
ERROR_SHARE_VOID = 0.10
"""With a tenth failed, the answered rest is a different workload from the one that was asked for."""
RATE_MISSED_WARN = 0.01
"""Achieved under 99 % of the offered rate: the queue grows, and response times depend on the trial's length."""
UNANSWERED_WARN = 0.001
"""At p99.9 one request in a thousand without an answer leaves no more than a lower bound."""
ANSWERED_VOID = 0.01
"""With fewer than one request in a hundred answered the throughput is that of a store which had stopped."""
ANSWERS_VOID = 100
"""A count of fewer is itself uncertain by a tenth; nothing to say of a store that left others unanswered."""
ANSWERS_OF_FEW = 0.9
OFFER_MISSED_VOID = 0.02
"""The engine itself offered under 98 % of the planned rate: another experiment than the plan's."""
OFFER_MIN_ARRIVALS = 2_500
"""Poisson arrivals scatter by 1/sqrt(n): 2 % is one standard deviation at 2,500, so fewer prove nothing."""
COMPETING_LOAD_WARN = 0.20
"""A fifth of the host's CPU was busy before the trial began, with something that is not the trial."""
SWAP_USED_WARN_BYTES = 64 * 1024 * 1024
"""Idle systems park a few MB in swap for good; more means memory was short."""
HIT_RATIO_OFF_WARN = 0.01
"""After a full prefill reads hit as often as planned; a miss is cheaper than a hit for every store here."""
HIT_RATIO_OFF_VOID = 0.50
KEYS_OFF_WARN = 0.01
"""A store that evicts, expires or shares its keys with others serves another working set than the plan's."""
KEYS_OFF_VOID = 0.50
MARKER_KEYS = 1
"""An external store holds a key that says who wrote the data."""
STEAL_WARN = 0.02
"""A guest that loses a fiftieth of its CPU waits in slices of milliseconds: percentiles show them first."""
STEAL_VOID = 0.20
COMPETING_LOAD_DURING_WARN = 0.10
"""Of all CPU time, by neither engine, nor store, nor agent: on two cores a fifth of one."""
SWAPPED_WARN_BYTES = 1024 * 1024
"""Memory that came back from swap while it was measured: a page fault costs a disk's time."""


EVICTED_WARN = 1
"""A single eviction says that the data set does not fit."""


def judge(facts: TrialFacts) -> tuple[Verdict, list[dict[str, Any]]]:
    """The verdict and its reasons as `{code, message, evidence}`, void ones first."""
    found = [reason for check in CHECKS for reason in check(facts)]
    found.sort(key=lambda reason: reason.severity != "void")
    verdict: Verdict = found[0].severity if found else "pass"
    return verdict, [
        {"code": reason.code, "message": reason.message, "evidence": {**reason.evidence, "severity": reason.severity}}
        for reason in found
    ]


def _answers(facts: TrialFacts) -> Iterator[Reason]:
    if facts.answered == 0:
        yield Reason("void", "nothing_answered", "The target answered no operation.", {"failed": facts.failed})
    if facts.stopped_early and not facts.store_killed:
        yield Reason(
            "void",
            "stopped_early",
            "The engine was stopped before its stop rule was met.",
            {"elapsed_s": facts.elapsed_ns / 1e9},
        )


def _errors(facts: TrialFacts) -> Iterator[Reason]:
    ended = facts.answered + facts.failed
    refused = facts.failed - facts.lost
    share = refused / ended if ended and not facts.store_killed else 0.0
    if share >= ERROR_SHARE_WARN:
        severity: Severity = "void" if share >= ERROR_SHARE_VOID else "warn"
        limit = ERROR_SHARE_VOID if severity == "void" else ERROR_SHARE_WARN
        message = f"{share:.2%} of the operations failed; throughput and percentiles count the answered ones only."
        yield Reason(severity, "errors", message, {"error_share": share, "failed": refused, "limit": limit})


def _unanswered(facts: TrialFacts) -> Iterator[Reason]:
    """What never came back is in the percentiles as a lower bound; throughput needs answers."""
    due = facts.answered + facts.failed - facts.lost + facts.unanswered
    if not due or facts.store_killed:
        return
    answered, share = facts.answered / due, facts.unanswered / due
    evidence = {"unanswered": facts.unanswered, "due": due, "answered": facts.answered}
    is_few = facts.answered < ANSWERS_VOID and answered < ANSWERS_OF_FEW
    if facts.unanswered and facts.answered and (answered < ANSWERED_VOID or is_few):
        message = f"The target answered {facts.answered:,} of {due:,} operations: too few to state a throughput."
        yield Reason("void", "mostly_unanswered", message, {**evidence, "limit": ANSWERED_VOID})
    elif share >= UNANSWERED_WARN:
        message = f"{share:.2%} of the operations have no answer; percentiles that they touch are lower bounds."
        yield Reason("warn", "unanswered", message, {**evidence, "limit": UNANSWERED_WARN})
    if facts.hung_connections and not facts.open_loop:
        longest_s = facts.hung_ns / 1e9
        message = (
            f"{facts.hung_connections:,} connections hung, for up to {longest_s:.2f} s. A closed loop sends nothing "
            "meanwhile: use a rate to see how many requests would have waited."
        )
        yield Reason("warn", "connections_hung", message, {"connections": facts.hung_connections, "hung_s": longest_s})


def _saturation(facts: TrialFacts) -> Iterator[Reason]:
    evidence = {"engine_busy_share": facts.engine_busy_share, "limit": ENGINE_BUSY_SHARE_WARN}
    had_time = facts.engine_busy_share < ENGINE_BUSY_SHARE_WARN
    remedy = "it had time but its host woke it late: give it cores of its own" if had_time else "give it more threads"
    if facts.saturated and facts.open_loop and facts.late_share >= LATE_SHARE_WARN:
        yield Reason(
            "warn",
            "engine_saturated",
            f"The engine could not keep the schedule: percentiles that this may have moved are void; {remedy}.",
            {**evidence, "late_share": facts.late_share},
        )
    elif facts.saturated or facts.engine_busy_share >= ENGINE_BUSY_SHARE_WARN:
        yield Reason(
            "warn",
            "engine_saturated",
            f"The engine was a limit, so the target may be faster than this; {remedy}.",
            evidence,
        )


def _lateness(facts: TrialFacts) -> Iterator[Reason]:
    """Of a saturated engine lateness is the same finding twice."""
    if facts.open_loop and not facts.saturated and facts.late_share >= LATE_SHARE_WARN:
        yield Reason(
            "warn",
            "late_operations",
            f"{facts.late_share:.1%} of the operations were sent after their intended start.",
            {"late_share": facts.late_share, "limit": LATE_SHARE_WARN},
        )


def _littles_law(facts: TrialFacts) -> Iterator[Reason]:
    residual = abs(facts.littles_law_residual)
    if facts.answered < LITTLES_LAW_MIN_COUNT or residual < LITTLES_LAW_WARN:
        return
    severity: Severity = "void" if residual >= LITTLES_LAW_VOID else "warn"
    limit = LITTLES_LAW_VOID if severity == "void" else LITTLES_LAW_WARN
    yield Reason(
        severity,
        "littles_law",
        f"Operations in flight and throughput x service time differ by {residual:.0%}.",
        {"residual": facts.littles_law_residual, "limit": limit},
    )


def _offered(facts: TrialFacts) -> Iterator[Reason]:
    """Did the engine offer the rate the plan asked for?"""
    planned = (facts.rate_per_s or 0.0) * facts.elapsed_ns / 1e9
    if not facts.open_loop or planned < OFFER_MIN_ARRIVALS:
        return
    missed = 1 - facts.offered / planned
    if missed >= OFFER_MISSED_VOID:
        yield Reason(
            "void",
            "rate_not_offered",
            f"The engine offered {1 - missed:.1%} of the planned rate.",
            {"offered": facts.offered, "planned": planned, "limit": OFFER_MISSED_VOID},
        )


def _achieved(facts: TrialFacts) -> Iterator[Reason]:
    """Did the target answer what was offered?"""
    missed = 1 - (facts.answered + facts.failed) / facts.offered if facts.offered else 0.0
    if facts.open_loop and missed >= RATE_MISSED_WARN:
        yield Reason(
            "warn",
            "rate_not_reached",
            f"The target kept up with {1 - missed:.1%} of the offered rate; its queue grew to the end.",
            {"offered": facts.offered, "answered": facts.answered, "limit": RATE_MISSED_WARN},
        )


def _hits(facts: TrialFacts) -> Iterator[Reason]:
    reads = facts.hits + facts.misses
    if not facts.prefilled or not reads:
        return
    found = facts.hits / reads
    off = abs(found - facts.planned_hit_ratio)
    # A planned miss is drawn: few reads scatter around the plan by themselves.
    scatter = 3 * math.sqrt(facts.planned_hit_ratio * (1 - facts.planned_hit_ratio) / reads)
    if off >= max(HIT_RATIO_OFF_WARN, scatter):
        severity, limit = _graded(off, HIT_RATIO_OFF_WARN, HIT_RATIO_OFF_VOID)
        message = (
            f"{found:.1%} of the reads hit where the plan has {facts.planned_hit_ratio:.1%}; the target may evict."
        )
        evidence = {"hit_ratio": found, "planned": facts.planned_hit_ratio, "misses": facts.misses, "limit": limit}
        yield Reason(severity, "hit_ratio", message, evidence)


def _graded(value: float, warn: float, void: float) -> tuple[Severity, float]:
    return ("void", void) if value >= void else ("warn", warn)


def _keys(facts: TrialFacts) -> Iterator[Reason]:
    if not facts.prefilled or facts.keys_planned is None or facts.keys_held is None:
        return
    missing = facts.keys_planned - facts.keys_held
    off = max(missing, -missing - MARKER_KEYS) / facts.keys_planned
    if off >= KEYS_OFF_WARN:
        severity, limit = _graded(off, KEYS_OFF_WARN, KEYS_OFF_VOID)
        why = "it evicts or expires keys" if missing > 0 else "it holds keys of others"
        message = f"The store held {facts.keys_held:,} keys where the plan has {facts.keys_planned:,}: {why}."
        evidence = {"keys_held": facts.keys_held, "keys_planned": facts.keys_planned, "limit": limit}
        yield Reason(severity, "key_count", message, evidence)


def _during(facts: TrialFacts) -> Iterator[Reason]:
    """What else the host did while it was measured."""
    steal, others, swapped = facts.steal_share, facts.others_busy_share, facts.swapped_bytes
    if steal is not None and steal >= STEAL_WARN:
        severity, limit = _graded(steal, STEAL_WARN, STEAL_VOID)
        message = f"The hypervisor gave {steal:.1%} of this host's CPU to other guests."
        yield Reason(severity, "cpu_stolen", message, {"steal_share": steal, "limit": limit})
    if others is not None and others >= COMPETING_LOAD_DURING_WARN:
        message = f"Other programs used {others:.0%} of the host's CPU during the trial."
        evidence = {"others_busy_share": others, "limit": COMPETING_LOAD_DURING_WARN}
        yield Reason("warn", "competing_load_during", message, evidence)
    if swapped is not None and swapped >= SWAPPED_WARN_BYTES:
        evidence = {"swapped_bytes": swapped, "limit": SWAPPED_WARN_BYTES}
        yield Reason("warn", "swapping", "The host moved memory to or from swap during the trial.", evidence)


def _host(facts: TrialFacts) -> Iterator[Reason]:
    busy, swap = facts.cpu_busy_share_before, facts.swap_used_bytes
    if busy is not None and busy >= COMPETING_LOAD_WARN:
        message = f"{busy:.0%} of the host's CPU was busy before the trial began."
        yield Reason("warn", "competing_load", message, {"cpu_busy_share": busy, "limit": COMPETING_LOAD_WARN})
    if swap is not None and swap >= SWAP_USED_WARN_BYTES:
        evidence = {"swap_used_bytes": swap, "limit": SWAP_USED_WARN_BYTES}
        yield Reason("warn", "swap_used", "The host was using swap; memory was short.", evidence)
    if facts.shared_cpu:
        message = "Engine and target shared CPUs: each slowed the other down. Use a host with more cores."
        yield Reason("warn", "shared_cpu", message)


def _store(facts: TrialFacts) -> Iterator[Reason]:
    """What the store's own counters, and the host's, say of it."""
    if facts.evicted >= EVICTED_WARN:
        message = f"The store threw out {facts.evicted:,.0f} keys while it was measured: not all of the data fitted."
        yield Reason("warn", "evictions", message, {"evicted": facts.evicted, "limit": EVICTED_WARN})
    if facts.ran_out_of_memory:
        message = "Memory ran out during the trial: see the marks on its time axis."
        yield Reason("warn", "out_of_memory", message)
    if facts.store_restarted and not facts.store_killed:
        message = "The store was restarted during the trial: it began anew, with cold caches."
        yield Reason("void", "store_restarted", message)


def _samples(facts: TrialFacts) -> Iterator[Reason]:
    if facts.samples_missing > 0:
        message = f"{facts.samples_missing} seconds of this trial never arrived; its totals are complete."
        yield Reason("warn", "samples_missing", message, {"missing": facts.samples_missing})


CHECKS: tuple[Callable[[TrialFacts], Iterator[Reason]], ...] = (
    _answers, _errors, _unanswered, _saturation, _lateness, _littles_law, _offered,
    _achieved, _hits, _keys, _host, _during, _store, _samples,
)  # fmt: skip
