"""Due times: daylight saving, aliases, and what is refused."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from loadstone.schedules import calendar
from loadstone.schedules.calendar import CronInvalid, TimeZoneUnknown, overdue, upcoming

BERLIN = "Europe/Berlin"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def firings(cron: str, zone: str, after: str, count: int) -> list[str]:
    found = upcoming(cron, zone, utc(after), None, count)
    return [instant.strftime("%m-%d %H:%M") for instant in found]


def test_a_time_that_summer_time_skips_is_due_right_after_the_gap_and_once() -> None:
    assert firings("30 2 * * *", BERLIN, "2026-03-28 12:00", 2) == ["03-29 01:00", "03-30 00:30"]
    assert firings("15,30 2 * * *", BERLIN, "2026-03-28 12:00", 2) == ["03-29 01:00", "03-30 00:15"]


def test_a_time_that_comes_twice_is_due_the_first_time_only() -> None:
    assert firings("30 2 * * *", BERLIN, "2026-10-24 12:00", 2) == ["10-25 00:30", "10-26 01:30"]


@pytest.mark.parametrize("after", ["2026-10-25 00:50", "2026-10-25 01:05", "2026-10-25 01:35"])
def test_asked_within_the_second_pass_it_never_answers_with_the_past(after: str) -> None:
    assert firings("45 2 * * *", BERLIN, after, 1) == ["10-26 01:45"]


def test_a_starred_expression_follows_the_clock_on_the_wall() -> None:
    assert firings("*/30 * * * *", BERLIN, "2026-10-24 23:50", 4) == [
        "10-25 00:00",
        "10-25 00:30",
        "10-25 01:00",
        "10-25 01:30",
    ]
    assert firings("0 */2 * * *", BERLIN, "2026-03-28 22:30", 3) == ["03-28 23:00", "03-29 02:00", "03-29 04:00"]


ZONES = [
    ("Australia/Lord_Howe", "2026-10-03 10:00"),
    ("Australia/Lord_Howe", "2026-04-04 10:00"),
    ("America/New_York", "2026-03-08 03:00"),
    ("America/St_Johns", "2026-11-01 00:00"),
    ("America/Santiago", "2026-09-05 12:00"),
    ("Africa/Cairo", "2026-04-23 12:00"),
    ("Pacific/Apia", "2011-12-29 12:00"),
    ("Asia/Kolkata", "2026-04-04 10:00"),
]
STARRED = [
    ("*/10 5 * * *", range(0, 60, 10), [5]),
    ("0 */2 * * *", [0], range(0, 24, 2)),
    ("*/20 * * * *", [0, 20, 40], range(24)),
    ("*/15 2 * * *", [0, 15, 30, 45], [2]),
    ("5 */1 * * *", [5], range(24)),
]


@pytest.mark.parametrize(("zone", "after"), ZONES)
@pytest.mark.parametrize(("cron", "minutes", "hours"), STARRED)
def test_starred_expressions_match_every_minute_looked_at_by_hand(
    zone: str, after: str, cron: str, minutes: list[int], hours: list[int]
) -> None:
    by_hand: list[datetime] = []
    instant = utc(after)
    while len(by_hand) < 40:
        instant += timedelta(minutes=1)
        local = instant.astimezone(ZoneInfo(zone))
        if local.minute in minutes and local.hour in hours:
            by_hand.append(instant)
    assert upcoming(cron, zone, utc(after), None, 40) == by_hand


# Samoa left out a whole day: its 02:30 came at the midnight after, beside that day's own.
@pytest.mark.parametrize(("zone", "after"), [zone for zone in ZONES if zone[0] != "Pacific/Apia"])
def test_a_fixed_daily_time_is_due_once_a_day_whatever_the_clock_does(zone: str, after: str) -> None:
    found = upcoming("30 2 * * *", zone, utc(after), None, 10)
    days = [instant.astimezone(ZoneInfo(zone)).date() for instant in found]
    assert len(set(days)) == 10
    assert all(earlier < later for earlier, later in pairwise(found))


def test_aliases_are_five_fields() -> None:
    assert {len(fields.split()) for fields in calendar.ALIASES.values()} == {5}
    assert firings("@Daily", "UTC", "2026-01-01 12:00", 1) == ["01-02 00:00"]


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "* * * *",
        "* * * * * *",
        "@reboot",
        "61 * * * *",
        "0 0 30 2 *",
        "*/0 * * * *",
        "a b c d e",
        "," * 5000 + " * * * *",
    ],
)
def test_what_is_no_expression_is_refused_by_name(cron: str) -> None:
    with pytest.raises(CronInvalid) as caught:
        upcoming(cron, "UTC", utc("2026-01-01"), None, 1)
    assert caught.value.path == "cron"


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "europe/berlin\0"])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(TimeZoneUnknown):
        upcoming("* * * * *", zone, utc("2026-01-01"), None, 1)


def test_overdue_times_are_those_between_and_stop_at_the_end_date() -> None:
    first = utc("2026-01-01 00:00")
    assert overdue("0 * * * *", "UTC", first, first, None) == [first]
    late = overdue("0 * * * *", "UTC", first, utc("2026-01-01 03:30"), None)
    assert [instant.hour for instant in late] == [0, 1, 2, 3]
    assert len(overdue("0 * * * *", "UTC", first, utc("2026-01-01 03:30"), utc("2026-01-01 01:00"))) == 2


def test_a_year_without_a_worker_is_not_counted_minute_by_minute() -> None:
    late = overdue("* * * * *", "UTC", utc("2025-01-01"), utc("2026-01-01"), None)
    assert len(late) == 31 * 24 * 60 + 1
