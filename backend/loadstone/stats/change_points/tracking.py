"""What becomes of steps from look to look: the same one moved, a new one, a return, a switch between two modes. Pure.

A step within six runs of a known one in the same direction is that one, placed better. A step back to within 35 % of
the level before is a return: it closes the alert and is no alarm. Where the same two levels have alternated four times
without a person's word on it, further switches between them are news for a digest, not alarms, until a visit to
one of them lasts three times as long as the longest before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from loadstone.stats.change_points.detector import DEFAULT_SENSITIVITY, Sensitivity, Step, find_steps

SAME_WITHIN = 6
"""Runs."""
RETURN_WITHIN = 0.35
"""Of the step that came before."""
SWITCHES_MIN = 4
RELEASE_VISITS = 3
LEVELS_WITHIN = 0.35

Kind = Literal["alarm", "return", "mode"]


@dataclass(frozen=True)
class KnownStep:
    """`is_explained`: a person said that it was expected or is fixed."""

    index: int
    log_change: float
    is_explained: bool = False
    kind: Kind = "alarm"


def match(step: Step, known: Sequence[KnownStep], within: int = SAME_WITHIN) -> int | None:
    """Return the place of the known step that this one is: the nearest in the same direction."""
    near = [
        (abs(one.index - step.index), place)
        for place, one in enumerate(known)
        if abs(one.index - step.index) <= within and (one.log_change > 0) == (step.log_change > 0)
    ]
    return min(near)[1] if near else None


def is_return(step: Step, previous: Step | None) -> bool:
    """Does the step lead back to the level before the previous one?"""
    if previous is None or (step.log_change > 0) == (previous.log_change > 0):
        return False
    return abs(step.log_change + previous.log_change) <= RETURN_WITHIN * abs(previous.log_change)


def is_mode_switch(steps: Sequence[Step], place: int, explained: Iterable[int], count: int) -> bool:
    """Is the step one more switch between two known levels?

    `steps` are of one look; `explained` are indexes of steps that a person explained; `count` is how many values there
    are. A visit that already lasts three times the longest earlier one is no visit any more.
    """
    step = steps[place]
    words = list(explained)
    switches = [
        one
        for one in steps[:place]
        if _is_same_size(one, step) and not any(abs(one.index - index) <= SAME_WITHIN for index in words)
    ]
    if len(switches) < SWITCHES_MIN or not _alternate([*switches, step]):
        return False
    longest = max(later.index - one.index for one, later in pairwise([*switches, step]))
    return count - step.index <= RELEASE_VISITS * longest


def _is_same_size(one: Step, other: Step) -> bool:
    larger = max(abs(one.log_change), abs(other.log_change))
    return abs(abs(one.log_change) - abs(other.log_change)) <= LEVELS_WITHIN * larger


def _alternate(steps: Sequence[Step]) -> bool:
    return all((one.log_change > 0) != (other.log_change > 0) for one, other in pairwise(steps))


def classify(
    steps: Sequence[Step], place: int, explained: Iterable[int], count: int, previous: KnownStep | None
) -> Kind:
    """Return what a step that was not known before is; `previous` is what is known of the step before it.

    A shift that comes back after it went by itself opens its alert again; one that a person explained before (fixed,
    say) is an alarm.
    """
    words = list(explained)
    if is_mode_switch(steps, place, words, count):
        return "mode"
    if place == 0 or previous is None or not is_return(steps[place], steps[place - 1]):
        return "alarm"
    comes_back = previous.kind == "return" and place > 1
    was_explained = comes_back and any(abs(steps[place - 2].index - index) <= SAME_WITHIN for index in words)
    return "alarm" if was_explained else "return"


@dataclass
class Tracker:
    """A series as it grows, for simulations: the product keeps the same in its tables."""

    sensitivity: Sensitivity = DEFAULT_SENSITIVITY
    values: list[float] = field(default_factory=list)
    known: list[KnownStep] = field(default_factory=list)

    def add(self, value: float) -> list[Kind]:
        """Return what is new after this value."""
        self.values.append(value)
        steps = find_steps(self.values, self.sensitivity).steps
        news: list[Kind] = []
        for place, step in enumerate(steps):
            found = match(step, self.known)
            if found is not None:
                self.known[found] = replace(self.known[found], index=step.index, log_change=step.log_change)
                if self._is_released(found, steps, place):
                    self.known[found] = replace(self.known[found], kind="alarm")
                    news.append("alarm")
                continue
            explained = [one.index for one in self.known if one.is_explained]
            before = match(steps[place - 1], self.known) if place else None
            previous = self.known[before] if before is not None else None
            kind = classify(steps, place, explained, len(self.values), previous)
            self.known.append(KnownStep(step.index, step.log_change, kind=kind))
            news.append(kind)
        return news

    def _is_released(self, found: int, steps: Sequence[Step], place: int) -> bool:
        """Has the newest visit lasted too long to be a switch between modes?"""
        if self.known[found].kind != "mode" or place != len(steps) - 1:
            return False
        explained = [one.index for one in self.known if one.is_explained]
        return not is_mode_switch(steps, place, explained, len(self.values))
