"""`loadstone share`: links that show one thing, read-only, to whoever has them."""

import sys
from datetime import timedelta
from typing import Annotated, Any

import typer

from loadstone_cli.api import Api, connect
from loadstone_cli.errors import refused
from loadstone_cli.output import Json, instant, now, print_items, print_json, say
from loadstone_cli.references import RUN_HELP, as_id, find_run

app = typer.Typer(help="Links that show a run, a comparison or a dashboard to whoever has them.")


@app.command()
def create(
    run: Annotated[
        list[str] | None, typer.Argument(help=f"One run, or several to share their comparison. {RUN_HELP}")
    ] = None,
    dashboard: Annotated[str | None, typer.Option(help="A dashboard's id instead.")] = None,
    title: Annotated[str | None, typer.Option(help="What the page is called.")] = None,
    days: Annotated[float | None, typer.Option(min=0.01, help="The link ends after so many days.")] = None,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Ask for the password that stands on stdin.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a link. Its address is shown this once."""
    if bool(run) == bool(dashboard):
        raise refused("usage", "Give runs or --dashboard.")
    with connect() as api:
        body = _subject(api, run or [], dashboard)
        body |= {"title": title} if title else {}
        if days is not None:
            body["expires_at"] = (now() + timedelta(days=days)).isoformat()
        if password_stdin:
            body["password"] = sys.stdin.readline().rstrip("\n")
        made = api.post("/shares", body)
    if as_json:
        print_json(made)
    else:
        say(made["url"])


def _subject(api: Api, names: list[str], dashboard: str | None) -> dict[str, Any]:
    if dashboard is not None:
        found = api.get(f"/dashboards/{as_id(dashboard) or dashboard}")
        return {"kind": "dashboard", "subject": {"dashboard_id": found["id"]}, "view": {}}
    runs = [find_run(api, name) for name in names]
    if len(runs) == 1:
        return {"kind": "run", "subject": {"run_id": runs[0]["id"]}, "view": {}}
    base, *contenders = ({"run_id": run["id"]} for run in runs)
    definition = {"base": base, "contenders": contenders}
    return {"kind": "comparison", "subject": {"definition": definition}, "view": {}}


@app.command(name="list")
def list_shares(as_json: Json = False) -> None:
    """Links that were made, newest first."""
    with connect() as api:
        items = list(api.pages("/shares"))
    print_items(as_json, items, ("ID", "Kind", "Title", "State", ">Views", "Ends"), _row, "Nothing is shared.")


def _row(share: dict[str, Any]) -> tuple[Any, ...]:
    return (share["id"], share["kind"], share["title"], share["state"], share["view_count"],
            instant(share["expires_at"]))  # fmt: skip


@app.command()
def revoke(
    share: Annotated[str, typer.Argument(help="The link's id, as `share list` shows it.")], as_json: Json = False
) -> None:
    """End a link: whoever opens it sees nothing more."""
    share_id = as_id(share)
    if share_id is None:
        raise refused("usage", f"{share!r} is no id; `loadstone share list` shows them.")
    with connect() as api:
        api.delete(f"/shares/{share_id}")
    if as_json:
        print_json({"revoked": share_id})
    else:
        say("The link is revoked.")
