"""Dashboards: saved, versioned, pinned, and never overwritten unseen."""

import threading
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import AuditEntry
from loadstone_testing.callers import Caller
from sqlalchemy import select

URL = "/api/v1/dashboards"
NOWHERE = "0190a000-0000-7000-8000-000000000000"


def panel(view: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": "p1", "title": "a panel", "view": view, "width": 2, "height": 2} | fields


TEXT = {"kind": "text", "markdown": "# hello"}
EVERY_KIND = [
    panel({"kind": "trend", "labels": ["target_kind:redis"], "days": 30}, id="a"),
    panel({"kind": "run", "plan_id": NOWHERE}, id="b"),
    panel({"kind": "comparison", "comparison_id": NOWHERE}, id="c"),
    panel(TEXT, id="d"),
]


def content(**fields: Any) -> dict[str, Any]:
    return {"name": "nightly", "refresh_s": 60, "is_pinned": False, "panels": [panel(TEXT)]} | fields


def create(client: Caller, **fields: Any) -> dict[str, Any]:
    response = client.post(URL, json=content(**fields))
    assert response.status_code == 201, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_a_dashboard_keeps_panels_of_every_kind_in_their_order(client: Caller) -> None:
    created = create(client, panels=EVERY_KIND)
    read = client.get(f"{URL}/{created['id']}").json()
    assert [(one["id"], one["view"]["kind"]) for one in read["panels"]] == [
        ("a", "trend"),
        ("b", "run"),
        ("c", "comparison"),
        ("d", "text"),
    ]
    assert (read["version"], read["refresh_s"], read["panel_count"]) == (1, 60, 4)
    assert read["created_by"]["name"] == client.principal.user_name


def test_a_save_makes_the_next_version_and_the_older_one_stays(client: Caller) -> None:
    created = create(client)
    url = f"{URL}/{created['id']}"
    changed = client.put(url, json=content(name="weekly", panels=[], version=1)).json()
    assert (changed["name"], changed["version"], changed["panels"]) == ("weekly", 2, [])
    versions = client.get(f"{url}/versions").json()["items"]
    assert [(one["version"], one["name"], one["panel_count"]) for one in versions] == [
        (2, "weekly", 0),
        (1, "nightly", 1),
    ]
    first = client.get(url, params={"version": 1}).json()
    assert (first["name"], first["version"], len(first["panels"])) == ("nightly", 1, 1)
    assert client.get(url, params={"version": 3}).status_code == 404


def test_a_save_made_from_an_older_version_is_refused_and_changes_nothing(client: Caller) -> None:
    created = create(client)
    url = f"{URL}/{created['id']}"
    client.put(url, json=content(name="hers", version=1))
    refused = client.put(url, json=content(name="his", version=1))
    assert (refused.status_code, refused.json()["code"]) == (409, "dashboard_changed")
    assert client.get(url).json()["name"] == "hers"


def test_of_two_saves_at_once_one_wins_and_the_other_is_told(client: Caller) -> None:
    url = f"{URL}/{create(client)['id']}"
    start = threading.Barrier(2)
    statuses: list[int] = []

    def save(name: str) -> None:
        start.wait()
        statuses.append(client.put(url, json=content(name=name, version=1)).status_code)

    people = [threading.Thread(target=save, args=(name,)) for name in ("hers", "his")]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert sorted(statuses) == [200, 409]
    assert client.get(url).json()["version"] == 2


def test_pinned_ones_are_listed_apart(client: Caller) -> None:
    create(client, name="other")
    pinned = create(client, name="home", is_pinned=True)
    assert [one["id"] for one in client.get(URL, params={"is_pinned": True}).json()["items"]] == [pinned["id"]]
    assert [one["name"] for one in client.get(URL).json()["items"]] == ["home", "other"]
    client.put(f"{URL}/{pinned['id']}", json=content(is_pinned=False, version=1))
    assert client.get(URL, params={"is_pinned": True}).json()["items"] == []


def test_pages_of_dashboards_follow_on(client: Caller) -> None:
    names = [create(client, name=f"board {number}")["name"] for number in range(3)]
    first = client.get(URL, params={"limit": 2}).json()
    second = client.get(URL, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [one["name"] for one in [*first["items"], *second["items"]]] == names[::-1]
    assert second["next_cursor"] is None


def test_a_deleted_dashboard_is_gone(client: Caller) -> None:
    url = f"{URL}/{create(client)['id']}"
    assert client.delete(url).status_code == 204
    assert [client.get(url).status_code, client.delete(url).status_code, client.get(f"{url}/versions").status_code] == [
        404,
        404,
        404,
    ]
    assert client.get(URL).json()["items"] == []


def test_a_dashboard_of_another_team_is_not_found(client: Caller, other_team: Caller) -> None:
    url = f"{URL}/{create(client)['id']}"
    assert other_team.get(url).status_code == 404
    assert other_team.get(f"{url}/versions").status_code == 404
    assert other_team.put(url, json=content(version=1)).status_code == 404
    assert other_team.delete(url).status_code == 404
    assert other_team.get(URL).json()["items"] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"panels": [panel(TEXT), panel(TEXT)]},
        {"panels": [panel({"kind": "trend"})]},
        {"panels": [panel({"kind": "run"})]},
        {"panels": [panel({"kind": "run", "run_id": NOWHERE, "plan_id": NOWHERE})]},
        {"panels": [panel({"kind": "frame", "url": "https://example.org"})]},
        {"panels": [panel(TEXT, width=4)]},
        {"panels": [panel(TEXT, id="a b")]},
        {"panels": [panel(TEXT, id=f"p{number}") for number in range(61)]},
        {"panels": [panel({"kind": "text", "markdown": "x" * 20_001})]},
        {"refresh_s": 1},
        {"name": ""},
    ],
)
def test_what_cannot_be_shown_is_refused(client: Caller, fields: dict[str, Any]) -> None:
    assert client.post(URL, json=content(**fields)).status_code == 422


def test_a_hostile_name_is_kept_as_it_is(client: Caller) -> None:
    hostile = '<img src=x onerror="alert(1)">'
    assert client.get(f"{URL}/{create(client, name=hostile)['id']}").json()["name"] == hostile


def test_every_change_is_in_the_audit_log(client: Caller) -> None:
    url = f"{URL}/{create(client)['id']}"
    client.put(url, json=content(version=1))
    client.delete(url)
    with unit_of_work() as unit:
        entries = unit.session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
        actions = [one.action for one in entries if one.subject_kind == "dashboard"]
    assert actions == ["dashboard_created", "dashboard_changed", "dashboard_deleted"]
