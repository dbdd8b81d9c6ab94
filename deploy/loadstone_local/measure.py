"""Executes the bundled plan through the public API, prints its result as a table."""

import sys
import time
from typing import Any

import httpx2

from loadstone_local.account import api_client, read_demo_file
from loadstone_local.console import say
from loadstone_local.paths import DEMO_FILE
from loadstone_local.secrets_file import write_private

RECIPE = {"slug": "memcached-vs-redis", "size": "quick"}
TERMINAL = {"succeeded", "failed", "cancelled", "crashed"}
TABLE_HEAD = ("target", "connections", "ops/s", "trials from - to", "p50 us", "p99 us", "p99.9 us", "errors")


def _tell_what_is_left_out(client: httpx2.Client) -> None:
    sizes = client.get(f"/recipes/{RECIPE['slug']}").raise_for_status().json()["sizes"]
    definition = next(one["definition"] for one in sizes if one["size"] == RECIPE["size"])
    preview = client.post("/plans/preview", json=definition).raise_for_status().json()
    for warning in preview["warnings"]:
        if warning["code"] == "target_left_out":
            say(f"  ! {warning['message']}")


def _follow(client: httpx2.Client, run: dict[str, Any]) -> dict[str, Any]:
    """Poll until the run has ended; one line a few trials."""
    told = -1
    while run["status"] not in TERMINAL:
        time.sleep(0.3)
        run = client.get(f"/runs/{run['id']}").raise_for_status().json()
        done = sum(run["status_counts"].get(status, 0) for status in TERMINAL)
        if done // 4 > told:
            told = done // 4
            eta = f", about {run['eta_s']:.0f} s to go" if run["eta_s"] else ""
            say(f"  {done} of {run['trial_count']} trials{eta}")
    return run


def _microseconds(ns: int | None) -> str:
    return "-" if ns is None else f"{ns / 1000:,.0f}"


def _row(point: dict[str, Any]) -> tuple[str, ...]:
    parameters, total = point["parameters"], point["total"]
    if total is None:
        return (parameters["target"], str(parameters["connections"]), "no counted trial", "", "", "", "", "")
    band = total["band"]["throughput_per_s"]
    latency = total["response_time_ns"]
    return (
        parameters["target"],
        str(parameters["connections"]),
        f"{total['throughput_per_s']:,.0f}",
        f"{band['low']:,.0f} - {band['high']:,.0f}",
        *(_microseconds(latency[name]) for name in ("p50", "p99", "p999")),
        str(total["errors"]),
    )


def _print_table(points: list[dict[str, Any]]) -> None:
    rows = [TABLE_HEAD, *sorted((_row(point) for point in points), key=lambda row: (row[0], int(row[1])))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TABLE_HEAD))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        say("  " + "  ".join(cells))


def main() -> int:
    known = read_demo_file()
    is_first = known["run_id"] is None
    with api_client(known["url"]) as client:
        say("Measuring memcached and Redis on this machine")
        _tell_what_is_left_out(client)
        answer = client.post("/runs", json={"recipe": RECIPE})
        if answer.status_code != 201:
            say(f"error: the run was refused: {answer.text}")
            return 1
        run = _follow(client, answer.json())
        points = client.get(f"/runs/{run['id']}/points").raise_for_status().json()["items"]
    write_private(DEMO_FILE, {**known, "run_id": run["id"]})
    say(f"The run {run['status']}. Response time, closed loop, on loopback:")
    _print_table(points)
    say(f"See the curve:  {known['url']}/runs/{run['id']}")
    if is_first:
        say(
            f"Sign in with:   {known['email']}   password: {known['password']}   (shown once; kept in {DEMO_FILE.name})"
        )
    return 0 if run["status"] == "succeeded" else 1


if __name__ == "__main__":
    sys.exit(main())
