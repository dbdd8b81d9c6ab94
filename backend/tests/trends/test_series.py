"""Series as the api shows them: lists, filters, values, neighbours, exclusions, annotations."""

from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.trends import analysis
from loadstone_testing.callers import Caller
from loadstone_testing.trend_factories import History, steady


def all_series(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    response = caller.get(f"/api/v1/series{query}")
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


def values(caller: Caller, series_id: str, query: str = "") -> dict[str, Any]:
    response = caller.get(f"/api/v1/series/values?series_id={series_id}{query}")
    assert response.status_code == 200, response.text
    line: dict[str, Any] = response.json()["items"][0]
    return line


def test_points_of_one_identity_form_one_series_in_the_order_of_time(client: Caller) -> None:
    history = History(client.principal)
    history.add(*steady(3))
    [series] = all_series(client)
    assert (series["value_count"], series["store_versions"]) == (3, ["1.6.18"])
    assert series["labels"]["target_kind"] == "memcached"
    assert series["labels"]["connections"] == "4"
    line = values(client, series["id"])
    assert [one["value"] for one in line["values"]] == pytest.approx(steady(3))
    first = line["values"][0]
    assert first["low"] < first["value"] < first["high"]
    assert first["trials_counted"] == 3
    assert first["run_name"] == "nightly 1"


def test_series_are_found_by_label_and_text_and_paged_by_key(client: Caller) -> None:
    for connections in (1, 2, 4, 8):
        History(client.principal, connections=connections).add(100_000.0)
    assert len(all_series(client)) == 4
    assert [one["labels"]["connections"] for one in all_series(client, "?label=connections:2&label=connections:8")] in (
        ["2", "8"],
        ["8", "2"],
    )
    assert all_series(client, "?label=connections:2&label=profile:other") == []
    assert len(all_series(client, "?q=8 connections")) == 1
    assert all_series(client, "?q=%25") == []
    seen: list[str] = []
    cursor = ""
    while True:
        page = client.get(f"/api/v1/series?limit=3{cursor}").json()
        seen += [one["id"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == len(set(seen)) == 4


def test_facets_count_series_and_follow_what_they_lose(client: Caller) -> None:
    for connections in (1, 2):
        History(client.principal, connections=connections).add(100_000.0, 101_000.0)
    facets = {one["label"]: one["values"] for one in client.get("/api/v1/series/facets").json()["facets"]}
    assert facets["target_kind"] == [{"value": "memcached", "count": 2}]
    assert facets["connections"] == [{"value": "1", "count": 1}, {"value": "2", "count": 1}]
    assert facets["plan"] == [{"value": "nightly", "count": 2}]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?label=nonsense", "bad_label"),
        ("?metric=speed", "unknown_metric"),
        ("?cursor=bm9uc2Vuc2U", "invalid_cursor"),
        ("?cursor=AAAA", "invalid_cursor"),
    ],
)
def test_what_cannot_be_read_is_refused(client: Caller, query: str, code: str) -> None:
    response = client.get(f"/api/v1/series{query}")
    assert (response.status_code, response.json()["code"]) == (422, code)


def test_a_decision_on_a_trial_rewrites_the_series(client: Caller) -> None:
    """Void trials enter no series, neither does one that a person left out, nor the last one of several."""
    run = History(client.principal).add(100_000.0, spread=0.1)
    [series] = all_series(client)
    trials = client.get(f"/api/v1/runs/{run.id}/trials").json()["items"]
    decision = {"kind": "exclude", "reason": "noisy"}
    response = client.post(f"/api/v1/trials/{trials[0]['id']}/decisions", json=decision)
    assert response.status_code in (200, 201), response.text
    analyse()
    [value] = values(client, series["id"])["values"]
    assert (value["value"], value["trials_counted"]) == (pytest.approx(105_000.0), 2)
    client.post(f"/api/v1/trials/{trials[2]['id']}/decisions", json=decision)
    analyse()
    assert values(client, series["id"])["values"] == []
    assert all_series(client) == []
    assert client.get("/api/v1/series/facets").json() == {"facets": []}


def analyse() -> None:
    with unit_of_work() as unit:
        for run_id in analysis.unanalysed_runs(unit):
            assert analysis.analyse_run(unit, run_id)


def test_thinned_out_values_keep_the_extremes(client: Caller) -> None:
    history = History(client.principal)
    history.add(*steady(15), 150_000.0, *steady(14), trials=1)
    [series] = all_series(client)
    line = values(client, series["id"], "&max_points=8")
    assert (line["value_count"], line["downsampled"]) == (30, True)
    assert len(line["values"]) <= 8
    assert max(one["value"] for one in line["values"]) == 150_000.0


def test_neighbours_tell_what_changed_between_them(client: Caller) -> None:
    history = History(client.principal)
    history.add(100_000.0)
    history.version = "1.6.19"
    history.settings = history.settings | {"maxbytes": "1024"}
    history.inventory = history.inventory | {"kernel": "6.5"}
    run = history.add(100_000.0)
    [series] = all_series(client)
    assert series["store_versions"] == ["1.6.18", "1.6.19"]
    point = values(client, series["id"])["values"][1]
    found = client.get(f"/api/v1/series/{series['id']}/neighbours?point_id={point['point_id']}").json()
    assert (found["before"]["run_name"], found["after"]["run_id"]) == ("nightly 1", str(run.id))
    assert [(one["kind"], one["path"], one["before"], one["after"]) for one in found["differences"]] == [
        ("store_version", "store", "1.6.18", "1.6.19"),
        ("configuration", "maxbytes", "67108864", "1024"),
        ("environment", "kernel", "6.1", "6.5"),
    ]
    first = values(client, series["id"])["values"][0]
    alone = client.get(f"/api/v1/series/{series['id']}/neighbours?point_id={first['point_id']}").json()
    assert (alone["before"], alone["differences"]) == (None, [])


def test_annotations_are_drawn_on_the_series_that_carry_their_labels(client: Caller) -> None:
    for connections in (1, 2):
        History(client.principal, connections=connections).add(100_000.0)
    body = {"at": "2026-01-01T12:00:00+01:00", "title": "<b>kernel</b>", "labels": {"connections": "2"}}
    made = client.post("/api/v1/annotations", json=body)
    assert made.status_code == 201, made.text
    for series in all_series(client):
        drawn = values(client, series["id"])["annotations"]
        assert [one["title"] for one in drawn] == (["<b>kernel</b>"] if series["labels"]["connections"] == "2" else [])
    url = f"/api/v1/annotations/{made.json()['id']}"
    assert client.put(url, json=body | {"labels": {}}).json()["labels"] == {}
    assert all(values(client, series["id"])["annotations"] for series in all_series(client))
    assert client.delete(url).status_code == 204
    assert client.get("/api/v1/annotations").json()["items"] == []


def test_a_point_is_excluded_once(client: Caller) -> None:
    History(client.principal).add(100_000.0)
    [series] = all_series(client)
    point_id = values(client, series["id"])["values"][0]["point_id"]
    url = f"/api/v1/series/{series['id']}/exclusions"
    assert client.post(url, json={"point_id": point_id, "reason": "   "}).status_code == 422
    made = client.post(url, json={"point_id": point_id, "reason": "backup"}).json()
    again = client.post(url, json={"point_id": point_id, "reason": "backup"})
    assert (again.status_code, again.json()["code"]) == (409, "point_excluded")
    assert client.delete(f"{url}/{made['id']}").status_code == 204
    assert client.delete(f"{url}/{made['id']}").status_code == 404
