"""`loadstone compare`: two or more runs against each other, with a gate for pipelines."""

from typing import Annotated, Any, Literal

import typer

from loadstone_cli.api import Api, connect
from loadstone_cli.errors import Exit
from loadstone_cli.output import Json, note, number, parameters, percent, print_json, print_table, say
from loadstone_cli.references import RUN_HELP, find_run

app = typer.Typer()

Gate = Literal["worse", "not-better"]
WORDS = {"not_enough_data": "inconclusive", "changed": "changed, size open"}


@app.command()
def compare(
    base: Annotated[str, typer.Argument(help=RUN_HELP)],
    contenders: Annotated[list[str], typer.Argument(metavar="NEW...", help="One to nineteen runs, named likewise.")],
    fail_on: Annotated[
        Gate | None,
        typer.Option(help="Exit code 1 when a cell is worse; or, with not-better, when any cell is not better."),
    ] = None,
    margin_percent: Annotated[
        float, typer.Option("--margin", min=0, max=100, help="Per cent that do not matter.")
    ] = 2.0,
    metric: Annotated[
        list[str] | None, typer.Option(help="throughput_per_s, response_time_p99_ns ...; repeatable.")
    ] = None,
    operation: Annotated[str, typer.Option(help="One operation instead of all.")] = "all",
    save: Annotated[str | None, typer.Option(help="Keep the comparison under this name.")] = None,
    as_json: Json = False,
) -> None:
    """Compare runs point by point. With --fail-on, exit code 6 says that no cell at all could be judged."""
    with connect() as api:
        runs = [find_run(api, text) for text in (base, *contenders)]
        definition = _definition(runs, margin_percent / 100, metric, operation)
        found = _evaluate(api, definition, save)
        url = api.url
    failed = failed_cells(found["cells"], fail_on)
    code = gate_exit(found["cells"], failed, fail_on)
    if as_json:
        gate = {"fail_on": fail_on, "passed": code is Exit.OK, "failed_cells": len(failed)} if fail_on else None
        print_json({**found, "gate": gate})
    else:
        _show(found, runs, url)
        _tell_gate(found["cells"], failed, code, fail_on)
    if code is not Exit.OK:
        raise typer.Exit(int(code))


def _definition(runs: list[dict[str, Any]], margin: float, metrics: list[str] | None, operation: str) -> dict[str, Any]:
    first, *others = ({"run_id": run["id"]} for run in runs)
    chosen = {"metrics": metrics} if metrics else {}
    return {"base": first, "contenders": others, "margin": margin, "operation": operation, **chosen}


def _evaluate(api: Api, definition: dict[str, Any], name: str | None) -> dict[str, Any]:
    if name is None:
        return api.post("/comparisons/evaluate", definition)
    saved = api.post("/comparisons", {"name": name, "definition": definition})
    note(f"Kept as {saved['id']}")
    if "result" not in saved:
        saved = api.get(f"/comparisons/{saved['id']}")
    result: dict[str, Any] = saved["result"]
    return result


def failed_cells(cells: list[dict[str, Any]], fail_on: Gate | None) -> list[dict[str, Any]]:
    if fail_on is None:
        return []
    if fail_on == "worse":
        return [cell for cell in cells if cell["verdict"] == "worse"]
    return [cell for cell in cells if cell["verdict"] != "better"]


def gate_exit(cells: list[dict[str, Any]], failed: list[dict[str, Any]], fail_on: Gate | None) -> Exit:
    """A comparison that says nothing at all does not pass for "not worse"."""
    if fail_on is None:
        return Exit.OK
    if all(cell["verdict"] == "not_enough_data" for cell in cells):
        return Exit.UNDECIDED
    return Exit.GATE_FAILED if failed else Exit.OK


def _show(found: dict[str, Any], runs: list[dict[str, Any]], url: str) -> None:
    for difference in found["differences"][:10]:
        values = " | ".join(str(value) for value in difference["values"])
        note(f"differs: {difference['kind']} {difference['path']}: {values}")
    labels = [side["label"] for side in found["sides"]]
    several = len(labels) > 2
    columns = ("Contender",) * several + ("Point", "Metric", ">Base", ">New", ">Change", "Interval", ">n", "Verdict")
    print_table(columns, [((_label(labels, cell),) * several) + _row(cell) for cell in found["cells"]])
    say(found["sentence"])
    say(f"{url}/compare?runs={','.join(run['id'] for run in runs)}")


def _label(labels: list[str], cell: dict[str, Any]) -> str:
    return labels[cell["contender"]] if cell["contender"] < len(labels) else str(cell["contender"])


def _row(cell: dict[str, Any]) -> tuple[Any, ...]:
    interval = cell["interval"]
    change = percent(cell["ratio"] - 1) if cell["ratio"] is not None else None
    band = f"{percent(interval['low'] - 1)} to {percent(interval['high'] - 1)}" if interval else None
    count = cell["n_pairs"] if cell["method"] == "paired" else f"{cell['n_base']}+{cell['n_contender']}"
    return (
        parameters(cell["parameters"]) or "-",
        cell["metric"],
        number(cell["base_value"]),
        number(cell["contender_value"]),
        change,
        band,
        count,
        _verdict(cell),
    )


def _verdict(cell: dict[str, Any]) -> str:
    if cell["refusal"]:
        return f"refused: {cell['refusal']['message']}"
    needed = f" ({cell['trials_needed']} more trials)" if cell["trials_needed"] else ""
    return f"{WORDS.get(cell['verdict'], cell['verdict'])}{needed}"


def _tell_gate(cells: list[dict[str, Any]], failed: list[dict[str, Any]], code: Exit, fail_on: Gate | None) -> None:
    if fail_on is None:
        return
    if code is Exit.UNDECIDED:
        note("gate: no cell could be judged: more trials are needed")
        return
    open_cells = sum(cell["verdict"] == "not_enough_data" for cell in cells)
    caveat = f"; {open_cells} of {len(cells)} cells could not be judged" if open_cells else ""
    note(f"gate {fail_on}: {'passed' if code is Exit.OK else f'failed in {len(failed)} cells'}{caveat}")
