"""Every change leaves an entry: who, what, which."""

import json

import pytest
from fastapi.testclient import TestClient
from loadstone.audit import service as audit
from loadstone.db import unit_of_work
from loadstone.errors import NotFound
from loadstone.models import AuditEntry
from loadstone_testing import factories
from loadstone_testing.callers import Caller
from loadstone_testing.one_of_each import make_one_of_each
from sqlalchemy import select


def actions(caller: Caller, query: str = "") -> list[str]:
    return [item["action"] for item in caller.get(f"/api/v1/audit?limit=200{query}").json()["items"]]


def test_making_one_of_each_leaves_an_entry_for_each(client: Caller) -> None:
    make_one_of_each(client)
    items = client.get("/api/v1/audit?limit=200").json()["items"]
    assert {
        "agent",
        "annotation",
        "comparison",
        "dashboard",
        "enrollment",
        "invitation",
        "plan",
        "run",
        "schedule",
        "series",
        "share",
        "target",
        "token",
        "trial",
        "workload",
    } <= {item["subject_kind"] for item in items}


def test_an_entry_says_who_did_what_to_which(client: Caller) -> None:
    target = client.post("/api/v1/targets", json=factories.managed_target(name="cache")).json()
    entry = client.get("/api/v1/audit").json()["items"][0]
    assert entry["action"] == "target_created"
    assert (entry["subject_kind"], entry["subject_id"]) == ("target", target["id"])
    assert entry["detail"] == {"name": "cache", "kind": "memcached"}
    assert entry["actor"] == {
        "kind": "person",
        "id": str(client.principal.user_id),
        "name": client.principal.user_name,
        "token_name": "test",
    }


def test_an_agent_and_a_teams_token_are_named_as_what_they_are(client: Caller, anonymous: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"name": "pipeline", "kind": "team", "scope": "run"}).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    anonymous.post("/api/v1/targets", json=factories.managed_target(), headers=headers)
    actor = client.get("/api/v1/audit").json()["items"][0]["actor"]
    assert (actor["kind"], actor["name"], actor["token_name"]) == ("token", "pipeline", "pipeline")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("&action=target_archived", ["target_archived"]),
        ("&action=target_archived&action=target_created", ["target_archived", "target_created"]),
        ("&subject_kind=workload", []),
        ("&actor_id=0190a000-0000-7000-8000-000000000000", []),
    ],
)
def test_the_log_is_filtered(client: Caller, query: str, expected: list[str]) -> None:
    target = client.post("/api/v1/targets", json=factories.managed_target()).json()["id"]
    client.delete(f"/api/v1/targets/{target}")
    assert actions(client, query) == expected
    assert actions(client, f"&subject_id={target}") == ["target_archived", "target_created"]


def test_the_log_is_paged(client: Caller) -> None:
    for _ in range(3):
        client.post("/api/v1/targets", json=factories.managed_target())
    first = client.get("/api/v1/audit?limit=2").json()
    second = client.get(f"/api/v1/audit?limit=2&cursor={first['next_cursor']}").json()
    assert [len(first["items"]), len(second["items"])] == [2, 1]
    assert second["next_cursor"] is None


def test_no_secret_is_written_down(client: Caller) -> None:
    known = make_one_of_each(client)
    client.post("/api/v1/targets", json=factories.external_target(password="hunter2"))
    secrets = [known["agent_token"], known["invitation_token"], known["share_token"], "hunter2"]
    with unit_of_work() as unit:
        entries = unit.session.scalars(select(AuditEntry)).all()
    written = "\n".join(json.dumps(entry.detail) for entry in entries)
    assert len(entries) > 15
    assert [secret for secret in secrets if secret in written] == []


def test_what_fails_leaves_no_entry(client: Caller) -> None:
    with pytest.raises(NotFound), unit_of_work() as unit:  # noqa: PT012
        audit.record(unit, client.principal, "target_created", "target", None)
        raise NotFound("It failed afterwards.")
    assert actions(client) == []


def test_another_teams_log_is_not_seen(client: Caller, other_team: Caller) -> None:
    client.post("/api/v1/targets", json=factories.managed_target())
    assert actions(other_team) == []
