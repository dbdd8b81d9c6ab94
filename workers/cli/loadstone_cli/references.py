"""What people type for a run, a plan, an agent or a schedule, as the id it means."""

import re
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from loadstone_cli.api import Api
from loadstone_cli.errors import CommandFailed, Exit, not_found, refused

RUN_HELP = "A run's id, or its name for the newest that succeeded; NAME~1 is the one before."
LOOKED_AT = 1000
"""Runs of that name that are looked through, newest first."""


def as_id(text: str) -> str | None:
    """Also from the address of a page."""
    last = text.rstrip("/").rsplit("/", 1)[-1]
    try:
        return str(uuid.UUID(last))
    except ValueError:
        return None


def find_run(api: Api, text: str) -> dict[str, Any]:
    """By id in any state; by name the newest that succeeded. Errors: `CommandFailed`."""
    run_id = as_id(text)
    if run_id is not None:
        return api.get(f"/runs/{run_id}")
    name, back = _split_back(text)
    named = _named_runs(api, name)
    for _ in range(back):
        next(named, None)
    run = next(named, None)
    if run is None:
        which = f"{back + 1} successful runs are" if back else "successful run is"
        raise not_found(f"No {which} named {name!r}. `loadstone runs` lists them.")
    return run


def _split_back(text: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.+)~(\d{1,4})", text)
    return (found[1], int(found[2])) if found else (text, 0)


def _named_runs(api: Api, name: str) -> Iterator[dict[str, Any]]:
    runs = api.pages("/runs", {"q": name, "status": "succeeded"}, limit=LOOKED_AT)
    return (run for run in runs if run["name"] == name)


def find_plan(api: Api, text: str) -> dict[str, Any]:
    """Errors: `CommandFailed`."""
    plan_id = as_id(text)
    if plan_id is not None:
        return api.get(f"/plans/{plan_id}")
    return _only(plans_named(api, text), "plan", text, "loadstone plan list")


def plans_named(api: Api, name: str) -> list[dict[str, Any]]:
    return [plan for plan in api.pages("/plans") if plan["name"] == name]


def find_agent(api: Api, text: str) -> dict[str, Any]:
    """Errors: `CommandFailed`."""
    agent_id = as_id(text)
    if agent_id is not None:
        return api.get(f"/agents/{agent_id}")
    return _only((one for one in api.pages("/agents") if one["name"] == text), "agent", text, "loadstone agent list")


def find_schedule(api: Api, text: str) -> dict[str, Any]:
    """Errors: `CommandFailed`."""
    schedule_id = as_id(text)
    if schedule_id is not None:
        return api.get(f"/schedules/{schedule_id}")
    matching = (one for one in api.pages("/schedules") if one["name"] == text)
    return _only(matching, "schedule", text, "loadstone schedule list")


def find_trace(api: Api, text: str) -> dict[str, Any]:
    """Errors: `CommandFailed`."""
    trace_id = as_id(text)
    if trace_id is not None:
        return api.get(f"/traces/{trace_id}")
    is_digest = re.fullmatch(r"[0-9a-f]{8,64}", text)
    matching = (
        one for one in api.pages("/traces") if one["name"] == text or (is_digest and one["digest"].startswith(text))
    )
    return _only(matching, "trace", text, "loadstone trace list")


def _only(found: Iterable[dict[str, Any]], what: str, name: str, listing: str) -> dict[str, Any]:
    matching = list(found)
    if not matching:
        raise not_found(f"No {what} is named {name!r}. `{listing}` lists them.")
    if len(matching) > 1:
        ids = ", ".join(one["id"] for one in matching)
        raise CommandFailed(Exit.REFUSED, "ambiguous_name", f"{len(matching)} {what}s are named {name!r}: {ids}")
    return matching[0]


def agent_selector(api: Api, agent: str | None, labels: list[str]) -> dict[str, Any] | None:
    """Errors: `CommandFailed`."""
    if agent and labels:
        raise refused("usage", "Give either --agent or --label.")
    if agent:
        return {"agent_id": find_agent(api, agent)["id"]}
    return {"labels": parse_labels(labels)} if labels else None


def parse_labels(labels: list[str]) -> dict[str, str]:
    """`name=value` pairs. Errors: `CommandFailed`."""
    pairs = [label.partition("=") for label in labels]
    if any(not name or not found for name, found, _ in pairs):
        raise refused("usage", "A label is written name=value.")
    return {name: value for name, _, value in pairs}
