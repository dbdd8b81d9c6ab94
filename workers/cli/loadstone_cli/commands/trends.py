"""`loadstone trends`: series over time and where they shifted."""

from datetime import timedelta
from typing import Annotated, Any

import typer

from loadstone_cli.api import Api, connect
from loadstone_cli.errors import refused
from loadstone_cli.output import Json, instant, note, now, number, percent, print_items, print_json, print_table, say
from loadstone_cli.references import as_id, parse_labels

app = typer.Typer()

Label = Annotated[list[str] | None, typer.Option(help="name=value, e.g. target_kind=redis; repeatable.")]


@app.command()
def trends(
    series: Annotated[list[str] | None, typer.Argument(help="Ids of series: their values instead of the list.")] = None,
    q: Annotated[str | None, typer.Option(help="Text in the title.")] = None,
    label: Label = None,
    metric: Annotated[str, typer.Option(help="What is followed.")] = "throughput_per_s",
    operation: Annotated[str, typer.Option(help="One operation instead of all.")] = "all",
    days: Annotated[float | None, typer.Option(min=0, help="Only the last so many days.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many series.")] = 50,
    as_json: Json = False,
) -> None:
    """List series with their last change; or show the values of some."""
    with connect() as api:
        if series:
            _show_values(api, series, metric, operation, days, as_json)
            return
        params: list[tuple[str, Any]] = [("metric", metric), ("operation", operation)]
        params += [("q", q)] if q else []
        params += [("label", f"{name}:{value}") for name, value in parse_labels(label or []).items()]
        items = list(api.pages("/series", params, limit=limit))
    print_items(
        as_json,
        items,
        ("ID", "Series", ">Points", "Last", "Last change"),
        _series_row,
        "No series matches. A series grows with every run of the same plan on the same class of agent.",
    )


def _series_row(series: dict[str, Any]) -> tuple[Any, ...]:
    change = series["last_change"]
    told = f"{percent(change['change'])} {change['direction']} {instant(change['at'])}" if change else None
    return series["id"], series["title"], series["value_count"], instant(series["last_at"]), told


def _show_values(api: Api, series: list[str], metric: str, operation: str, days: float | None, as_json: bool) -> None:
    ids = [as_id(text) for text in series]
    if None in ids:
        raise refused("usage", "Give the ids of series, as `loadstone trends` lists them.")
    params: list[tuple[str, Any]] = [("series_id", one) for one in ids]
    params += [("metric", metric), ("operation", operation)]
    params += [("from", (now() - timedelta(days=days)).isoformat())] if days is not None else []
    found = api.get("/series/values", params)
    if as_json:
        print_json(found)
        return
    for item in found["items"]:
        _show_series(item, found["metric"])


def _show_series(item: dict[str, Any], metric: dict[str, Any]) -> None:
    say(f"{item['series']['title']}: {metric['title']}, {metric['unit']}")
    changes = {change["point_id"]: change for change in item["change_points"]}
    columns = ("At", f">{metric['unit']}", ">From", ">To", ">Trials", "Store", "Run", "Note")
    print_table(columns, [_value_row(value, changes.get(value["point_id"])) for value in item["values"]])
    if not item["values"]:
        note("No value in this time.")


def _value_row(value: dict[str, Any], change: dict[str, Any] | None) -> tuple[Any, ...]:
    told = f"shifts {percent(change['change'])} ({change['direction']}, {change['state']})" if change else ""
    if value["excluded"]:
        told = f"excluded: {value['excluded']['reason']}"
    return (
        instant(value["at"]),
        number(value["value"]),
        number(value["low"]),
        number(value["high"]),
        value["trials_counted"],
        value["store_version"],
        value["run_name"],
        told,
    )
