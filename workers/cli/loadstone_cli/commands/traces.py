"""`loadstone trace`: recorded files of operations that workloads replay."""

from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone_cli.api import connect
from loadstone_cli.output import Json, instant, print_items, print_json, say, span
from loadstone_cli.references import find_trace

app = typer.Typer(help="Recorded files of operations that workloads replay.")

Trace = Annotated[str, typer.Argument(help="A trace's name, id, or the first digits of its SHA-256.")]


@app.command()
def upload(
    file: Annotated[Path, typer.Argument(help="Lines of time,operation,key,size, sorted by time.")],
    name: Annotated[str | None, typer.Option(help="The file's own name when left out.")] = None,
    as_json: Json = False,
) -> None:
    """Send a file and tell its digest, by which plans name it. The same file again gives the same trace."""
    with connect() as api:
        trace = api.upload("/traces", file, "text/csv", {"name": name or file.name})
    if as_json:
        print_json(trace)
        return
    operations = ", ".join(f"{count:,} {kind}" for kind, count in trace["operations"].items())
    say(f"{trace['name']}: {operations} of {trace['key_count']:,} keys in {span(trace['duration_s'])}")
    say(f"trace: {{digest: {trace['digest']}}}")


@app.command(name="list")
def list_traces(as_json: Json = False) -> None:
    """Files that were uploaded, newest first."""
    with connect() as api:
        items = list(api.pages("/traces"))
    columns = ("Digest", "Name", ">Lines", ">Keys", ">Lasts", "Created")
    print_items(as_json, items, columns, _row, "There is no trace yet. `loadstone trace upload FILE` sends one.")


def _row(trace: dict[str, Any]) -> tuple[Any, ...]:
    return (trace["digest"][:12], trace["name"], f"{trace['line_count']:,}", f"{trace['key_count']:,}",
            span(trace["duration_s"]), instant(trace["created_at"]))  # fmt: skip


@app.command()
def download(
    trace: Trace,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file; its digest names it when left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the file as it was uploaded."""
    with connect() as api:
        found = find_trace(api, trace)
        target = output or Path(f"loadstone-trace-{found['digest'][:12]}.csv")
        size_bytes = api.download(f"/traces/{found['id']}/content", target)
    if as_json:
        print_json({"file": str(target), "bytes": size_bytes, "digest": found["digest"]})
    else:
        say(f"{target}: {size_bytes:,} bytes")


@app.command()
def delete(trace: Trace, as_json: Json = False) -> None:
    """Take it off the list; plans and runs that name it can still replay it."""
    with connect() as api:
        found = find_trace(api, trace)
        api.delete(f"/traces/{found['id']}")
    if as_json:
        print_json({"deleted": found["id"]})
    else:
        say(f"{found['name']} is off the list.")
