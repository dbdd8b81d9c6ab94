"""`loadstone agent`: list, enroll, drain, resume."""

from typing import Annotated, Any

import typer

from loadstone_cli.api import connect
from loadstone_cli.output import Json, instant, print_items, print_json, say
from loadstone_cli.references import find_agent

app = typer.Typer(help="The hosts that measure.")

Agent = Annotated[str, typer.Argument(help="An agent's name or id.")]


@app.command(name="list")
def list_agents(as_json: Json = False) -> None:
    """All agents and what they do now."""
    with connect() as api:
        items = list(api.pages("/agents"))
    print_items(
        as_json,
        items,
        ("ID", "Name", "State", "Stores", "Labels", "Executes", "Last heard"),
        _row,
        "There is no agent yet. `loadstone agent enroll` makes the command that enrolls one.",
    )


def _row(agent: dict[str, Any]) -> tuple[Any, ...]:
    stores = ", ".join(store["kind"] for store in agent["stores"] if store["available"])
    labels = ", ".join(f"{name}={value}" for name, value in agent["labels"].items())
    current = agent["current"]["run_name"] if agent["current"] else None
    return (agent["id"], agent["name"], agent["state"], stores or None, labels or None, current,
            instant(agent["last_heartbeat_at"]))  # fmt: skip


@app.command()
def enroll(as_json: Json = False) -> None:
    """A token that enrolls one agent, and the command to type on its host. Admins only."""
    with connect() as api:
        made = api.post("/agent-enrollments")
    if as_json:
        print_json(made)
        return
    say(made["command"])
    say(f"Good once, until {instant(made['expires_at'])}.")


@app.command()
def drain(agent: Agent, as_json: Json = False) -> None:
    """Let the agent end its trial and take no more."""
    _set_draining(agent, True, as_json)


@app.command()
def resume(agent: Agent, as_json: Json = False) -> None:
    """Let a drained agent take trials again."""
    _set_draining(agent, False, as_json)


def _set_draining(name: str, is_draining: bool, as_json: bool) -> None:
    with connect() as api:
        agent = api.patch(f"/agents/{find_agent(api, name)['id']}", {"is_draining": is_draining})
    if as_json:
        print_json(agent)
    else:
        say(f"{agent['name']} is {agent['state']}")
