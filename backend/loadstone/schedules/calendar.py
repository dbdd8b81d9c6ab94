"""When a cron expression is due, in a time zone. Pure.

The rules are Debian cron's, by cronsim: a fixed time that the change to summer time skips is due right after the gap,
and one that the change back repeats is due the first time only; an expression whose minute or hour begins with a star
follows the clock on the wall, so it is due in both passes of the repeated hour and not at all in the skipped one.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError
from cronsim.cronsim import is_imaginary

from loadstone.errors import InvalidInput

ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
FIELDS = 5
CATCH_UP_WINDOW = timedelta(days=31)
"""Due times older than this are neither fired nor counted after an outage."""
RESOLUTION = timedelta(minutes=1)
"""Of an expression with five fields."""
_STEP_BACK = timedelta(hours=3)
"""More than any change of a clock, so that nothing is lost where local times repeat."""


class CronInvalid(InvalidInput):
    code = "cron_invalid"
    title = "The cron expression cannot be used"


class TimeZoneUnknown(InvalidInput):
    code = "time_zone_unknown"
    title = "There is no such time zone"


class ScheduleNeverFires(InvalidInput):
    code = "schedule_never_fires"
    title = "The schedule would never fire"


def find_zone(name: str) -> ZoneInfo:
    """Raises TimeZoneUnknown. Only names of the IANA database: a path would be read from the disk."""
    if name not in _zone_names():
        raise TimeZoneUnknown(f"Give a name such as Europe/Berlin or UTC; there is no {name[:60]!r}.", path="time_zone")
    return ZoneInfo(name)


@lru_cache(maxsize=1)
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def five_fields(expression: str) -> str:
    """The expression with its alias resolved; raises CronInvalid."""
    text = expression.strip()
    text = ALIASES.get(text.lower(), text)
    fields = text.split()
    if len(fields) != FIELDS:
        message = (
            "Give five fields (minute, hour, day of the month, month, day of the week) or one of "
            f"{', '.join(sorted(ALIASES))}; this has {len(fields)}."
        )
        raise CronInvalid(message, path="cron")
    return " ".join(fields)


class _Simulation(CronSim):
    """cronsim goes from hour to hour by 3,600 seconds, which is off the hour after a change by half of one."""

    def advance_hour(self) -> bool:
        has_moved = super().advance_hour()
        on_the_hour = self.dt.replace(minute=0)
        if has_moved and self.dt.minute and not is_imaginary(on_the_hour):
            self.dt = on_the_hour
        return has_moved


def _simulate(expression: str, local: datetime) -> CronSim:
    try:
        return _Simulation(five_fields(expression), local)
    except (CronSimError, RecursionError) as error:
        raise CronInvalid(f"{error}: see the examples beside the field.", path="cron") from error


def describe(expression: str) -> str:
    """In English words; raises CronInvalid."""
    return _simulate(expression, datetime.now(UTC)).explain()


def due_times(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Instants in UTC, strictly later than `after` and strictly ascending; raises CronInvalid.

    The simulation starts earlier than asked: begun inside a repeated hour it would take the first pass for the second.
    """
    before = after.astimezone(UTC)
    for local in _simulate(expression, (before - _STEP_BACK).astimezone(zone)):
        instant = local.astimezone(UTC)
        if instant > before:
            yield instant
            before = instant


def next_due(expression: str, time_zone: str, after: datetime, until: datetime | None) -> datetime | None:
    """The next instant after `after` and not after `until`; raises CronInvalid, TimeZoneUnknown."""
    instant = next(due_times(expression, find_zone(time_zone), after), None)
    return None if instant is None or (until is not None and instant > until) else instant


def upcoming(expression: str, time_zone: str, after: datetime, until: datetime | None, count: int) -> list[datetime]:
    """The next `count` instants, fewer when `until` comes first; raises CronInvalid, TimeZoneUnknown."""
    found = islice(due_times(expression, find_zone(time_zone), after), count)
    return [instant for instant in found if until is None or instant <= until]


def overdue(expression: str, time_zone: str, first: datetime, now: datetime, until: datetime | None) -> list[datetime]:
    """Due times from `first` to `now` (or `until`, if that is earlier), oldest first; `first` itself always is one."""
    end = now if until is None else min(now, until)
    late = [first]
    after = max(first, now - CATCH_UP_WINDOW)
    for instant in due_times(expression, find_zone(time_zone), after):
        if instant > end:
            return late
        late.append(instant)
    return late
