"""`loadstone`: schedule benchmarks, follow them, compare and share what they measured."""

import json
import sys
from collections.abc import Sequence

import typer

from loadstone_cli import __version__
from loadstone_cli.commands import (
    agents,
    alerts,
    comparisons,
    plans,
    runs,
    schedules,
    session,
    shares,
    traces,
    transfer,
    trends,
)
from loadstone_cli.errors import MEANINGS, CommandFailed, Exit
from loadstone_cli.output import note

EPILOG = "Exit codes: " + "; ".join(f"{code.value} {meaning}" for code, meaning in MEANINGS.items()) + "."

app = typer.Typer(
    help="Schedule benchmarks of data stores, follow them, compare and share what they measured.",
    epilog=EPILOG,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for commands in (session, runs, comparisons, trends, transfer):
    app.registered_commands += commands.app.registered_commands
for name, commands_of in (
    ("plan", plans),
    ("alerts", alerts),
    ("agent", agents),
    ("share", shares),
    ("schedule", schedules),
    ("trace", traces),
):
    app.add_typer(commands_of.app, name=name)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"loadstone {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    """Schedule benchmarks of data stores, follow them, compare and share what they measured."""


def execute(arguments: Sequence[str]) -> int:
    """One command; its exit code. Nothing is thrown."""
    as_json = "--json" in arguments
    try:
        result = app(list(arguments) or ["--help"], prog_name="loadstone", standalone_mode=False)
    except CommandFailed as failed:
        _tell(failed, as_json)
        return int(failed.exit_code)
    except typer.TyperException as wrong:
        context = getattr(wrong, "ctx", None)
        command = context.command_path if context else "loadstone"
        message = f"{wrong.format_message()} Try `{command} --help`."
        _tell(CommandFailed(Exit.REFUSED, "usage", message), as_json)
        return int(Exit.REFUSED)
    except (typer.Abort, KeyboardInterrupt):
        return int(Exit.INTERRUPTED)
    except SystemExit:
        # Typer's end for a broken pipe: whoever read our output has seen enough.
        return int(Exit.OK)
    except OSError as fault:
        _tell(CommandFailed(Exit.REFUSED, "file_fault", f"{fault}."), as_json)
        return int(Exit.REFUSED)
    return result if isinstance(result, int) else int(Exit.OK)


def _tell(failed: CommandFailed, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(failed.as_json(), ensure_ascii=False), err=True)
        return
    note(f"error: {failed.message}")
    for fault in failed.problem.get("errors") or []:
        note(f"  {fault['path'] or '(the whole)'}: {fault['message']} [{fault['code']}]")


def main() -> None:
    sys.exit(execute(sys.argv[1:]))


if __name__ == "__main__":
    main()
