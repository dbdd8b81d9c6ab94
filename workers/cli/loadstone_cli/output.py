"""What is printed: JSON of a stable shape for programs, tables for people, notes on stderr."""

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and faults as JSON on stderr.")]

STATUS_STYLE = {
    **dict.fromkeys(("succeeded", "online", "better", "active", "pass", "fixed"), "green"),
    **dict.fromkeys(("failed", "crashed", "worse", "broken", "void", "confirmed", "refused"), "red"),
    **dict.fromkeys(("running", "claimed", "busy", "cancelling"), "cyan"),
    **dict.fromkeys(("cancelled", "queued", "not_enough_data", "paused", "warn", "suspected", "draining"), "yellow"),
}


def out() -> Console:
    """Made anew each time, so that it writes to whatever stdout is now. Piped tables are not folded."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def notes() -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def say(text: str) -> None:
    """Plain words: what comes from the service is never read as markup."""
    out().print(escape(text))


def note(text: str) -> None:
    notes().print(escape(text))


def print_items(as_json: bool, items: Iterable[dict[str, Any]], columns: Sequence[str], row: Any, empty: str) -> None:
    """A list: `{"items": [...]}`, or a table whose rows `row(item)` gives, or the sentence `empty`."""
    found = list(items)
    if as_json:
        print_json({"items": found})
    elif not found:
        note(empty)
    else:
        print_table(columns, [row(item) for item in found])


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A column whose name starts with `>` is aligned to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        is_number = name.startswith(">")
        is_key = name.lower() in ("id", "name", "run")
        table.add_column(name.lstrip(">"), justify="right" if is_number else "left", no_wrap=is_number or is_key)
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console = out()
    if not sys.stdout.isatty():
        # As wide as it is: what is piped is read by programs or in a log.
        console.width = 1000
    console.print(table)


def _cell(value: Any) -> str:
    text = "-" if value is None else str(value)
    style = STATUS_STYLE.get(text)
    return f"[{style}]{escape(text)}[/]" if style else escape(text)


def number(value: float | None, digits: int = 0) -> str | None:
    return None if value is None else f"{value:,.{digits}f}"


def microseconds(value_ns: float | None) -> str | None:
    """Nanoseconds as microseconds."""
    return None if value_ns is None else f"{value_ns / 1e3:,.1f}"


def quantile_microseconds(times: dict[str, Any], name: str) -> str | None:
    """A percentile as it may be printed: `1.2`, `>= 970,000.0` where requests have no answer, `void`."""
    if name in times.get("void", {}):
        return "void"
    shown, bound = microseconds(times[name]), times.get("bounds", {}).get(name)
    if shown is None or bound is None:
        return shown
    return f">= {shown}" if bound["to_ns"] is None else f"{shown} to {microseconds(bound['to_ns'])}"


def percent(share: float | None, digits: int = 1) -> str | None:
    """0.031 as `+3.1 %`."""
    return None if share is None else f"{share * 100:+.{digits}f} %"


def span(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def instant(text: str | None) -> str | None:
    """RFC 3339 as local time to the minute."""
    if text is None:
        return None
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")


def parameters(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def now() -> datetime:
    return datetime.now(UTC)
