"""`export` and `import`: a run as a table, as JSON, or whole as a bundle for another installation."""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from loadstone_cli.api import Api, connect
from loadstone_cli.output import Json, print_json, say
from loadstone_cli.references import RUN_HELP, find_run
from loadstone_cli.results import points_of

app = typer.Typer()

Format = Literal["bundle", "csv", "json"]
SUFFIX: dict[Format, str] = {"bundle": "zip", "csv": "csv", "json": "json"}


@app.command(name="export")
def export_run(
    run: Annotated[str, typer.Argument(help=RUN_HELP)],
    format_: Annotated[
        Format, typer.Option("--format", help="bundle: everything, to import elsewhere; csv or json: the points.")
    ] = "bundle",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; - is stdout (csv and json).")] = None,
    as_json: Json = False,
) -> None:
    """Write a run to a file."""
    with connect() as api:
        found = find_run(api, run)
        if str(output) == "-" and format_ != "bundle":
            typer.echo(_text(api, found, format_), nl=False)
            return
        target = output or Path(f"{_file_stem(found)}.{SUFFIX[format_]}")
        size_bytes = _write(api, found, format_, target)
    if as_json:
        print_json({"file": str(target), "bytes": size_bytes, "format": format_, "run_id": found["id"]})
    else:
        say(f"{target}: {size_bytes:,} bytes")


def _file_stem(run: dict[str, Any]) -> str:
    name = re.sub(r"[^\w.-]+", "-", run["name"]).strip("-.") or "run"
    return f"{name[:80]}-{run['id'][-8:]}"


def _text(api: Api, run: dict[str, Any], format_: Format) -> str:
    if format_ == "csv":
        return api.text(f"/runs/{run['id']}/points.csv")
    content = {"run": api.get(f"/runs/{run['id']}"), "points": points_of(api, run["id"])}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _write(api: Api, run: dict[str, Any], format_: Format, target: Path) -> int:
    if format_ == "bundle":
        return api.download(f"/runs/{run['id']}/bundle", target)
    content = _text(api, run, format_).encode()
    target.write_bytes(content)
    return len(content)


@app.command(name="import")
def import_bundle(
    file: Annotated[Path, typer.Argument(help="A bundle that `loadstone export` wrote.")],
    join_series: Annotated[
        bool, typer.Option("--join-series", help="Its points enter the series of the team.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring a bundle into this installation; the run opens read-only. The same bundle again gives the same run."""
    with connect() as api:
        run = api.upload("/bundles", file, "application/zip", {"join_series": join_series})
        url = api.url
    if as_json:
        print_json({"run": run})
    else:
        say(f"{run['name']}: {url}/runs/{run['id']}")
