"""`loadstone alerts`: what shifted, who looks at it, and what came of it."""

from typing import Annotated, Any

import typer

from loadstone_cli.api import connect
from loadstone_cli.errors import refused
from loadstone_cli.output import Json, instant, percent, print_items, print_json, print_table, say
from loadstone_cli.references import as_id

app = typer.Typer(help="Shifts of series: list, look at, decide.", invoke_without_command=True)

COLUMNS = ("ID", "State", ">Change", "Metric", "Direction", "Series", "Owner", "At")
AlertId = Annotated[str, typer.Argument(help="The alert's id or its page's address.")]


@app.callback()
def list_alerts(
    context: typer.Context,
    state: Annotated[list[str] | None, typer.Option(help="suspected, confirmed, fixed ...; repeatable.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 50,
    as_json: Json = False,
) -> None:
    """List alerts, newest first."""
    if context.invoked_subcommand is not None:
        return
    with connect() as api:
        items = list(api.pages("/alerts", [("state", one) for one in state or []], limit=limit))
    print_items(as_json, items, COLUMNS, _row, "No alert.")


def _row(alert: dict[str, Any]) -> tuple[Any, ...]:
    first = alert["changes"][0] if alert["changes"] else {"change": None, "metric": None}
    owner = alert["owner"]["name"] if alert["owner"] else None
    return (alert["id"], alert["state"], percent(first["change"]), first["metric"], alert["direction"],
            alert["series"]["title"], owner, instant(alert["at"]))  # fmt: skip


def _id(text: str) -> str:
    found = as_id(text)
    if found is None:
        raise refused("usage", f"{text!r} is no alert's id; `loadstone alerts` lists them.")
    return found


@app.command()
def show(alert: AlertId, as_json: Json = False) -> None:
    """One alert with its history and comments."""
    with connect() as api:
        found = api.get(f"/alerts/{_id(alert)}")
    if as_json:
        print_json(found)
        return
    print_table(COLUMNS, [_row(found)])
    for entry in found["history"]:
        by = entry["author"]["name"] if entry["author"] else "Loadstone"
        say(f"{instant(entry['created_at'])}  {by}: {entry['kind']} {_told(entry)}")
    say(f"May become {', '.join(found['next_states']) or 'nothing else'}.")


def _told(entry: dict[str, Any]) -> str:
    moved = " to ".join(str(entry["detail"][name]) for name in ("from", "to") if entry["detail"].get(name))
    return " ".join(part for part in (moved, entry["text"]) if part)


@app.command()
def update(
    alert: AlertId,
    state: Annotated[str | None, typer.Option(help="acknowledged, expected, fixed, false ...")] = None,
    comment: Annotated[str | None, typer.Option(help="What to say with it.")] = None,
    as_json: Json = False,
) -> None:
    """Move an alert on, or say something to it."""
    if state is None and comment is None:
        raise refused("usage", "Give --state, --comment or both.")
    with connect() as api:
        if comment is not None:
            api.post(f"/alerts/{_id(alert)}/comments", {"text": comment})
        if state is not None:
            api.patch(f"/alerts/{_id(alert)}", {"state": state})
        found = api.get(f"/alerts/{_id(alert)}")
    if as_json:
        print_json(found)
    else:
        say(f"The alert is {found['state']}.")


@app.command()
def confirm(alert: AlertId, as_json: Json = False) -> None:
    """Queue an interleaved run in a new session that tells whether the shift is real."""
    with connect() as api:
        run = api.post(f"/alerts/{_id(alert)}/confirm")
        url = api.url
    if as_json:
        print_json({"run": run})
    else:
        say(f"{run['name']}: {url}/runs/{run['id']}")
