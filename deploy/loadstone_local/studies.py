"""`make studies`: the five studies in their quick size on real stores, each result beside the published ratio.

`python -m loadstone_local.studies [--here] [SLUG ...]`: on a stack of its own, or with `--here` on the one that runs.
Prints a table a study, then what cannot be had and why; every row also goes to `studies.jsonl` in the state directory.
It reports, and exits 0 unless a run could not be made.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx2

from loadstone_local.account import api_client, read_demo_file
from loadstone_local.console import StepFailed, say
from loadstone_local.paths import STATE
from loadstone_local.scratch_stack import scratch_stack
from loadstone_local.stack import STORES
from loadstone_local.store_servers import CACHE, prepare_stores
from loadstone_local.study_rows import Point, Row, Series, place_of, ratios, value_of, why_missing

STUDIES = (
    "innodb-memcached-vs-native",
    "innodb-memcached-scaling",
    "key-list-stores",
    "four-stores-eleven-configurations",
    "mysql-as-key-value",
)
TERMINAL = {"succeeded", "failed", "cancelled", "crashed"}
HEAD = ("scenario", "system", "metric", "x", "published", "ours", "ratio published", "ratio ours")
COUNTED_ONCE = ("elapsed_s",)
"""Says the same as the time per operation, at another count than the study's."""


class Study:
    """One recipe's quick size, from preview to rows."""

    def __init__(self, client: httpx2.Client, slug: str) -> None:
        self.client = client
        self.slug = slug
        self.missing: Counter[str] = Counter()

    def measure(self) -> list[Row]:
        """Errors: StepFailed when the run is refused."""
        recipe = self._get(f"/recipes/{self.slug}")
        quick = next(one for one in recipe["sizes"] if one["size"] == "quick")
        say(f"\n{recipe['title']}: {quick['trial_count']} trials, about {quick['estimated_s']:.0f} s")
        preview = self._post("/plans/preview", quick["definition"])
        for warning in preview["warnings"]:
            if warning["code"] == "target_left_out":
                say(f"  ! {warning['message']}")
        run = self._post("/runs", {"recipe": {"slug": self.slug, "size": "quick"}})
        started = time.monotonic()
        run = self._until_end(run)
        self._tell_of_end(run, time.monotonic() - started)
        figures = self._get(f"/runs/{run['id']}/published")
        points = self._get(f"/runs/{run['id']}/points")["items"]
        rows = list(self._rows(figures, points))
        self._count_missing(run)
        return rows

    def _get(self, path: str) -> Any:
        return self.client.get(path).raise_for_status().json()

    def _post(self, path: str, body: Any) -> Any:
        answer = self.client.post(path, json=body)
        if answer.status_code >= 400:
            raise StepFailed(f"{self.slug}: {path} was refused: {answer.text}")
        return answer.json()

    def _until_end(self, run: dict[str, Any]) -> dict[str, Any]:
        while run["status"] not in TERMINAL:
            time.sleep(0.5)
            run = self._get(f"/runs/{run['id']}")
        return run

    def _tell_of_end(self, run: Mapping[str, Any], took_s: float) -> None:
        counts = ", ".join(f"{count} {status}" for status, count in run["status_counts"].items() if count)
        say(f"  {run['status']} in {took_s:.0f} s: {counts}")
        trials = self._get(f"/runs/{run['id']}/trials?limit=200")["items"]
        errors = Counter(f"{trial['error']['code']}: {trial['error']['message']}" for trial in trials if trial["error"])
        void = Counter(
            reason["code"] for trial in trials if trial["trust"] == "void" for reason in trial["trust_reasons"]
        )
        for message, count in errors.most_common(5):
            say(f"  ! {count} trials: {message}")
        for code, count in void.items():
            say(f"  ! {count} trials are void: {code}")

    def _rows(self, figures: Mapping[str, Any], points: Sequence[Point]) -> Iterator[Row]:
        normalise_to = figures["normalise_to"] or {}
        for series in figures["series"]:
            if series["metric"] in COUNTED_ONCE:
                continue
            for figure in series["points"]:
                mine = value_of(points, place_of(series, figure["x"]), series["metric"])
                if mine is None:
                    self.missing[why_missing(points, place_of(series, figure["x"]))] += 1
                    continue
                base = series["relative_to"] or normalise_to
                yield self._row(series, figure, mine, ratios(figures, series, figure, points, base), base)

    def _row(
        self,
        series: Series,
        figure: Mapping[str, Any],
        mine: float,
        ratios: tuple[float | None, float | None],
        base: Mapping[str, Any],
    ) -> Row:
        return Row(
            study=self.slug,
            scenario=series["scenario"],
            system=series["label"],
            target=str(series["match"].get("target", "")),
            metric=series["metric"],
            unit=series["unit"],
            x=figure["x"],
            published=figure["value"],
            ours=mine,
            published_ratio=ratios[0],
            our_ratio=ratios[1],
            ratio_to=str(base.get("target", "")),
        )

    def _count_missing(self, run: Mapping[str, Any]) -> None:
        """Of every figure that the source prints, those that were not laid onto this run."""
        laid = {(one["scenario"], one["label"]) for one in self._get(f"/runs/{run['id']}/published")["series"]}
        for series in self._get(f"/recipes/{self.slug}/published")["series"]:
            label = f"{series['system']} ({series['client']})" if series["client"] else series["system"]
            if series["reason"]:
                self.missing[series["reason"]] += len(series["points"])
            elif (series["scenario"], label) not in laid:
                why = "Its target, engine or workload takes no part in the quick size on this machine"
                self.missing[f"{why}: {series['system']}."] += len(series["points"])


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _shown(value: float, unit: str) -> str:
    if unit == "ns":
        return f"{_number(value / 1e6)} ms"
    return f"{_number(value)} {'' if unit == 'ratio' else unit}".strip()


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.scenario,
        row.system if row.system.startswith(row.target) else f"{row.system} | {row.target}",
        row.metric,
        _number(row.x),
        _shown(row.published, row.unit),
        _shown(row.ours, "ops/s" if row.unit == "ratio" else row.unit),
        _number(row.published_ratio),
        _number(row.our_ratio),
    )


def print_table(rows: Sequence[Row]) -> None:
    table = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEAD))]
    if rows:
        say(f"  ratios are to: {', '.join(sorted({row.ratio_to for row in rows}))}")
    for line in table:
        left = [cell.ljust(width) for cell, width in zip(line[:3], widths[:3], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(line[3:], widths[3:], strict=True)]
        say("  " + "  ".join([*left, *right]))


@contextmanager
def _client(here: bool) -> Iterator[httpx2.Client]:
    if here:
        with api_client(read_demo_file()["url"]) as client:
            yield client
        return
    prepare_stores()
    os.environ[STORES] = str(CACHE / "servers")
    with scratch_stack("up") as stack:
        token = json.loads(stack.demo_file.read_text())["api_token"]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=f"{stack.url}/api/v1", headers=headers, timeout=60, trust_env=False) as client:
            yield client


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", action="store_true", help="on the stack that runs, not on one of its own")
    parser.add_argument("slugs", nargs="*", choices=[[], *STUDIES], help="only these")
    asked = parser.parse_args(arguments)
    lines = Path(STATE) / "studies.jsonl"
    lines.parent.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    with _client(asked.here) as client, lines.open("w", encoding="utf-8") as out:
        for slug in asked.slugs or STUDIES:
            study = Study(client, slug)
            try:
                rows = study.measure()
            except StepFailed as error:
                say(f"error: {error}")
                failed.append(slug)
                continue
            print_table(rows)
            out.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
            for reason, count in study.missing.most_common():
                say(f"  {count} published figures cannot be had: {reason}")
    say(f"\nEvery row as JSON: {lines}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
