"""`loadstone plan`: validate, apply, list, show, and the schema that editors complete with."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
import yaml

from loadstone_cli.api import Api, connect
from loadstone_cli.errors import CommandFailed, Exit
from loadstone_cli.output import Json, instant, note, print_items, print_json, say, span
from loadstone_cli.plan_file import PlanFile, read_plan
from loadstone_cli.references import agent_selector, find_plan, plans_named

app = typer.Typer(help="Plans as files: YAML with a published JSON Schema.")

SCHEMA_PATH = "/schemas/plan.json"
FILE_HELP = "A plan as YAML or JSON; - is stdin."

File = Annotated[str, typer.Argument(help=FILE_HELP)]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="field=value over the file's, e.g. stop.seconds=5; repeatable.")
]


@app.command()
def validate(
    file: File,
    change: Changes = None,
    agent: Annotated[str | None, typer.Option(help="An agent's name or id that has to be able to take it.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="name=value of the agents to take it; repeatable.")] = None,
    as_json: Json = False,
) -> None:
    """Ask the service what the plan would do, and what speaks against it. Nothing is saved. Exit code 2: refused."""
    plan = read_plan(file, change)
    with connect() as api:
        selector = agent_selector(api, agent, label or [])
        preview = preview_plan(api, plan, selector)
    if as_json:
        print_json({"valid": not preview["refusals"], **preview})
    else:
        _show_preview(plan, preview)
    if preview["refusals"]:
        raise typer.Exit(int(Exit.REFUSED))


def preview_plan(api: Api, plan: PlanFile, selector: dict[str, Any] | None = None) -> dict[str, Any]:
    """Errors: `CommandFailed` whose faults name the file's lines."""
    body = {**plan.definition, **({"agent_selector": selector} if selector else {})}
    with sending_plan(plan):
        preview = api.post("/plans/preview", body)
    for finding in [*preview["refusals"], *preview["warnings"]]:
        finding["place"] = plan.place(finding["path"])
    return preview


@contextmanager
def sending_plan(plan: PlanFile) -> Iterator[None]:
    """The api names fields; people look for lines."""
    try:
        yield
    except CommandFailed as failed:
        for fault in failed.problem.get("errors") or []:
            path = fault["path"].removeprefix("plan.").removeprefix("definition.")
            fault["path"] = f"{plan.place(path)} {path}".strip()
        raise


def _show_preview(plan: PlanFile, preview: dict[str, Any]) -> None:
    for finding in preview["refusals"]:
        note(f"{finding['place']}: {finding['message']} [{finding['code']}]")
    for finding in preview["warnings"]:
        note(f"{finding['place']}: warning: {finding['message']} [{finding['code']}]")
    if preview["refusals"]:
        note(f"{plan.name}: refused")
        return
    able = [agent["name"] for agent in preview["agents"] if agent["can_take"]]
    say(f"{plan.name}: {preview['point_count']} points, {preview['trial_count']} trials, about "
        f"{span(preview['estimated_s'])}; {', '.join(able) or 'no agent'} can take it")  # fmt: skip


@app.command()
def apply(file: File, change: Changes = None, as_json: Json = False) -> None:
    """Save the plan: a new version of the plan with this name, or a new plan. The same plan again changes nothing."""
    plan = read_plan(file, change)
    with connect() as api:
        outcome, saved = _apply(api, plan)
    if as_json:
        print_json({"outcome": outcome, "plan": saved})
    else:
        say(f"{saved['name']} is {outcome}: version {saved['version']}, {saved['id']}")


def _apply(api: Api, plan: PlanFile) -> tuple[str, dict[str, Any]]:
    preview = preview_plan(api, plan)
    if preview["refusals"]:
        problem = {"errors": [{**one, "path": f"{one['place']} {one['path']}"} for one in preview["refusals"]]}
        raise CommandFailed(Exit.REFUSED, "plan_refused", f"{plan.name} is refused.", problem)
    named = plans_named(api, plan.definition.get("name", ""))
    with sending_plan(plan):
        if not named:
            return "created", api.post("/plans", {"definition": plan.definition})
        if len(named) > 1:
            message = f"{len(named)} plans have this name: rename or archive one of {[one['id'] for one in named]}."
            raise CommandFailed(Exit.REFUSED, "ambiguous_name", message)
        saved = api.put(f"/plans/{named[0]['id']}", {"definition": plan.definition, "version": named[0]["version"]})
    return ("unchanged" if saved["version"] == named[0]["version"] else "changed"), saved


@app.command(name="list")
def list_plans(limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 50, as_json: Json = False) -> None:
    """Saved plans, newest first."""
    with connect() as api:
        items = list(api.pages("/plans", limit=limit))
    print_items(
        as_json, items, ("ID", "Name", ">Version", "By", "Created"), _plan_row,
        "There is no plan yet. `loadstone plan apply FILE` saves one.",
    )  # fmt: skip


def _plan_row(plan: dict[str, Any]) -> tuple[Any, ...]:
    by = plan["created_by"]["name"] if plan["created_by"] else None
    return plan["id"], plan["name"], plan["version"], by, instant(plan["created_at"])


@app.command()
def show(plan: Annotated[str, typer.Argument(help="A plan's name or id.")], as_json: Json = False) -> None:
    """A saved plan as the YAML that `plan apply` takes."""
    with connect() as api:
        found = find_plan(api, plan)
        url = api.url
    if as_json:
        print_json(found)
        return
    typer.echo(f"# yaml-language-server: $schema={url}/api/v1{SCHEMA_PATH}")
    typer.echo(yaml.safe_dump(found["definition"], sort_keys=False, allow_unicode=True), nl=False)


@app.command()
def schema() -> None:
    """The JSON Schema of plans, as this service has it."""
    with connect() as api:
        print_json(api.get(SCHEMA_PATH))
