"""`run`, `runs`, `cancel`."""

from typing import Annotated, Any

import typer

from loadstone_cli.api import Api, connect
from loadstone_cli.commands.plans import sending_plan
from loadstone_cli.errors import CommandFailed, Exit, refused
from loadstone_cli.output import Json, instant, note, print_items, print_json, say, span
from loadstone_cli.plan_file import looks_like_file, read_plan
from loadstone_cli.references import RUN_HELP, agent_selector, find_plan, find_run
from loadstone_cli.results import points_of, show_points
from loadstone_cli.watching import watch_run

app = typer.Typer()


@app.command()
def run(
    plan: Annotated[
        str | None, typer.Argument(help="A saved plan's name or id, or a file (- is stdin).", show_default=False)
    ] = None,
    recipe: Annotated[str | None, typer.Option(help="A recipe that ships with the product, by its slug.")] = None,
    size: Annotated[str, typer.Option(help="Of the recipe: quick or full.")] = "quick",
    name: Annotated[str | None, typer.Option(help="The run's name; the plan's own when left out.")] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="field=value over the file's, e.g. stop.seconds=5; repeatable.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="The agent that shall take it, by name or id.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="name=value of the agents that may; repeatable.")] = None,
    priority: Annotated[int, typer.Option(help="Higher goes first.")] = 0,
    wait: Annotated[bool, typer.Option("--wait", help="Follow it to its end and show the result.")] = False,
    timeout_s: Annotated[float | None, typer.Option("--timeout", help="Wait so many seconds at most.")] = None,
    cancel_on_interrupt: Annotated[
        bool, typer.Option("--cancel-on-interrupt", help="Ctrl-C and --timeout cancel the run.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Start a run. With --wait, exit code 4 says that it failed, crashed or was cancelled, 6 that time ran out."""
    with connect() as api:
        extra = {"name": name, "agent_selector": agent_selector(api, agent, label or []), "priority": priority or None}
        body = {field: value for field, value in extra.items() if value is not None}
        started = _submit_recipe(api, recipe, size, plan, body) if recipe else _submit(api, plan, change, body)
        if not wait:
            _show_started(started, api.url, as_json)
            return
        note(f"{started['name']}: {api.url}/runs/{started['id']}")
        ended = _wait(api, started, timeout_s, cancel_on_interrupt)
        points = points_of(api, ended["id"])
    if as_json:
        print_json({"run": ended, "points": points})
    else:
        show_points(ended, points)
    _end_as(ended)


def _submit_recipe(api: Api, slug: str, size: str, plan: str | None, body: dict[str, Any]) -> dict[str, Any]:
    """Tells which targets no agent can start."""
    if plan is not None:
        raise refused("usage", "Give either a plan or --recipe.")
    recipe = api.get(f"/recipes/{slug}")
    definition = next((one["definition"] for one in recipe["sizes"] if one["size"] == size), None)
    if definition is None:
        raise refused("usage", f"--size is one of: {', '.join(one['size'] for one in recipe['sizes'])}.")
    asked = {**definition, "agent_selector": body.get("agent_selector")}
    for warning in api.post("/plans/preview", asked)["warnings"]:
        if warning["code"] == "target_left_out":
            note(warning["message"])
    return api.post("/runs", {**body, "recipe": {"slug": slug, "size": size}})


def _submit(api: Api, plan: str | None, changes: list[str] | None, body: dict[str, Any]) -> dict[str, Any]:
    if plan is None:
        raise refused("usage", "Name a plan, a file, or a recipe with --recipe.")
    if looks_like_file(plan):
        file = read_plan(plan, changes)
        with sending_plan(file):
            return api.post("/runs", {**body, "plan": file.definition})
    if changes:
        raise refused("usage", "--set changes a file; a saved plan runs as it is.")
    return api.post("/runs", {**body, "plan_id": find_plan(api, plan)["id"]})


def _show_started(run: dict[str, Any], url: str, as_json: bool) -> None:
    if as_json:
        print_json({"run": run})
        return
    say(f"{run['name']} is {run['status']}: {run['trial_count']} trials, about {span(run['estimated_s'])}")
    say(f"{url}/runs/{run['id']}")
    if run["wait_reason"]:
        note(f"It waits: {run['wait_reason']['message']}")


def _wait(api: Api, run: dict[str, Any], timeout_s: float | None, cancel_on_interrupt: bool) -> dict[str, Any]:
    try:
        return watch_run(api, run, timeout_s)
    except (KeyboardInterrupt, CommandFailed) as reason:
        if isinstance(reason, CommandFailed) and reason.exit_code != Exit.UNDECIDED:
            raise
        if cancel_on_interrupt:
            api.post(f"/runs/{run['id']}/cancel")
            note("The run is cancelled.")
        else:
            note(f"The run goes on. `loadstone cancel {run['id']}` ends it.")
        raise


def _end_as(run: dict[str, Any]) -> None:
    if run["status"] == "succeeded":
        return
    if run["error"]:
        note(f"The run {run['status']}: {run['error']['message']} [{run['error']['code']}]")
    else:
        note(f"The run was {run['status']}.")
    raise typer.Exit(int(Exit.RUN_FAILED))


@app.command()
def runs(
    run: Annotated[str | None, typer.Argument(help=f"One run and its points. {RUN_HELP}")] = None,
    status: Annotated[list[str] | None, typer.Option(help="queued, running, succeeded ...; repeatable.")] = None,
    q: Annotated[str | None, typer.Option(help="Text in the name.")] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only what I started.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: Json = False,
) -> None:
    """List runs, newest first; or show one with its points."""
    with connect() as api:
        if run is not None:
            _show_run(api, run, as_json)
            return
        params: list[tuple[str, Any]] = [("status", one) for one in status or []]
        params += [("q", q)] if q else []
        params += [("created_by", "me")] if mine else []
        items = list(api.pages("/runs", params, limit=limit))
    print_items(
        as_json,
        items,
        ("ID", "Name", "Status", ">Trials", "Agent", "By", "Created", "Left"),
        _run_row,
        "No run matches. `loadstone run PLAN` starts one.",
    )


def _run_row(run: dict[str, Any]) -> tuple[Any, ...]:
    counts = run["status_counts"]
    ended = sum(counts[status] for status in ("succeeded", "failed", "cancelled", "crashed"))
    agent = run["agent"]["name"] if run["agent"] else None
    by = run["created_by"]["name"] if run["created_by"] else None
    left = run["wait_reason"]["code"] if run["wait_reason"] else span(run["eta_s"])
    return (run["id"], run["name"], run["status"], f"{ended}/{run['trial_count']}", agent, by,
            instant(run["created_at"]), left)  # fmt: skip


def _show_run(api: Api, text: str, as_json: bool) -> None:
    found = api.get(f"/runs/{find_run(api, text)['id']}")
    points = points_of(api, found["id"])
    if as_json:
        print_json({"run": found, "points": points})
    else:
        show_points(found, points)


@app.command()
def cancel(
    run: Annotated[str, typer.Argument(help="The run's id or its page's address.")], as_json: Json = False
) -> None:
    """End a run: waiting trials at once, the one under way within seconds."""
    with connect() as api:
        ended = api.post(f"/runs/{find_run(api, run)['id']}/cancel")
    if as_json:
        print_json({"run": ended})
    else:
        say(f"{ended['name']} is {ended['status']}")
