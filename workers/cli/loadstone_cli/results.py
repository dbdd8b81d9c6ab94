"""A run's points as a table."""

from typing import Any

from loadstone_cli.api import Api
from loadstone_cli.output import number, print_table, quantile_microseconds, say


def points_of(api: Api, run_id: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.get(f"/runs/{run_id}/points")["items"]
    return items


def show_points(run: dict[str, Any], points: list[dict[str, Any]]) -> None:
    """Response time from the intended start; throughput is the mean over the counted trials."""
    say(f"{run['name']} {run['status']}")
    names = list(dict.fromkeys(name for point in points for name in point["parameters"]))
    columns = (*names, ">Ops/s", ">From", ">To", ">p50 µs", ">p99 µs", ">p99.9 µs", ">Errors", ">Trials")
    print_table(columns, [_row(point, names) for point in points])


def _row(point: dict[str, Any], names: list[str]) -> tuple[Any, ...]:
    bound = [point["parameters"].get(name) for name in names]
    total = point["total"]
    if total is None:
        return (*bound, *[None] * 7, f"0/{len(point['trials'])}")
    band, times = total["band"]["throughput_per_s"], total["response_time_ns"]
    return (
        *bound,
        number(total["throughput_per_s"]),
        number(band["low"]),
        number(band["high"]),
        *(quantile_microseconds(times, name) for name in ("p50", "p99", "p999")),
        number(total["errors"]),
        f"{total['trials_counted']}/{len(point['trials'])}",
    )
