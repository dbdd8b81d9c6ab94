"""`loadstone schedule`: runs that start by themselves."""

from typing import Annotated, Any, Literal

import typer

from loadstone_cli.api import connect
from loadstone_cli.errors import Exit
from loadstone_cli.output import Json, instant, note, print_items, print_json, say
from loadstone_cli.references import agent_selector, find_plan, find_schedule

app = typer.Typer(help="Runs that start by themselves.")

Schedule = Annotated[str, typer.Argument(help="A schedule's name or id.")]


@app.command(name="list")
def list_schedules(as_json: Json = False) -> None:
    """All schedules and when they fire next."""
    with connect() as api:
        items = list(api.pages("/schedules"))
    print_items(
        as_json,
        items,
        ("ID", "Name", "State", "Cron", "Time zone", "Plan", "Next"),
        _row,
        "There is no schedule yet. `loadstone schedule create` makes one.",
    )


def _row(schedule: dict[str, Any]) -> tuple[Any, ...]:
    return (schedule["id"], schedule["name"], schedule["state"], schedule["cron"], schedule["time_zone"],
            schedule["plan_name"], instant(schedule["next_fire_at"]))  # fmt: skip


@app.command()
def create(
    plan: Annotated[str, typer.Argument(help="A saved plan's name or id.")],
    cron: Annotated[str, typer.Option(help="Five fields, e.g. '30 2 * * *' for 02:30 every night.")],
    time_zone: Annotated[str, typer.Option("--time-zone", help="E.g. Europe/Berlin.")] = "UTC",
    name: Annotated[str | None, typer.Option(help="The plan's name when left out.")] = None,
    overlap: Annotated[
        Literal["skip", "queue", "cancel"], typer.Option(help="What to do while the run before is not over.")
    ] = "skip",
    agent: Annotated[str | None, typer.Option(help="The agent that shall take it, by name or id.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="name=value of the agents that may; repeatable.")] = None,
    priority: Annotated[int, typer.Option(help="Higher goes first.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show when it would fire.")] = False,
    as_json: Json = False,
) -> None:
    """Run a saved plan by the clock, always in its newest version."""
    with connect() as api:
        preview = api.post("/schedules/preview", {"cron": cron, "time_zone": time_zone})
        made = None
        if not dry_run:
            found = find_plan(api, plan)
            body = {
                "name": name or found["name"],
                "plan_id": found["id"],
                "cron": cron,
                "time_zone": time_zone,
                "overlap_policy": overlap,
                "priority": priority,
            }
            selector = agent_selector(api, agent, label or [])
            made = api.post("/schedules", body | ({"agent_selector": selector} if selector else {}))
    if as_json:
        print_json({"schedule": made, "preview": preview})
        return
    say(f"{preview['description']}: next at")
    for firing in preview["firings"]:
        say(f"  {firing['local']}")
    if made:
        say(f"{made['name']} is {made['state']}: {made['id']}")


@app.command()
def pause(schedule: Schedule, as_json: Json = False) -> None:
    """Fire no more until it is resumed."""
    _act(schedule, "pause", as_json)


@app.command()
def resume(schedule: Schedule, as_json: Json = False) -> None:
    """Fire again from now on."""
    _act(schedule, "resume", as_json)


def _act(name: str, action: str, as_json: bool) -> None:
    with connect() as api:
        schedule = api.post(f"/schedules/{find_schedule(api, name)['id']}/{action}")
    if as_json:
        print_json(schedule)
    else:
        say(f"{schedule['name']} is {schedule['state']}; next {instant(schedule['next_fire_at']) or 'never'}")


@app.command(name="run-now")
def run_now(schedule: Schedule, as_json: Json = False) -> None:
    """Start its run at once, by its rule of overlap; its hours stay as they are. Exit code 2: no run started."""
    with connect() as api:
        firing = api.post(f"/schedules/{find_schedule(api, schedule)['id']}/run-now")
    if as_json:
        print_json(firing)
    elif firing["run_id"]:
        say(f"{firing['run_name']} is {firing['run_status']}: {firing['run_id']}")
    if firing["outcome"] != "submitted":
        why = firing["error"] or {"code": firing["outcome"], "message": "The run before is not over."}
        note(f"No run: {why['message']} [{why['code']}]")
        raise typer.Exit(int(Exit.REFUSED))


@app.command()
def delete(schedule: Schedule, as_json: Json = False) -> None:
    """Remove a schedule; the runs it started stay."""
    with connect() as api:
        found = find_schedule(api, schedule)
        api.delete(f"/schedules/{found['id']}")
    if as_json:
        print_json({"deleted": found["id"]})
    else:
        say(f"{found['name']} is deleted.")
