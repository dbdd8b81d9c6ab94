"""Saved workloads and their versions."""

from typing import Any

from loadstone_testing.callers import Caller
from loadstone_testing.factories import workload_definition

URL = "/api/v1/workloads"


def body(**fields: Any) -> dict[str, Any]:
    return {"name": "a workload", "definition": workload_definition(**fields)}


def test_an_edit_makes_the_next_version_and_the_old_one_stays_readable(client: Caller) -> None:
    first = client.post(URL, json=body()).json()
    second = client.put(f"{URL}/{first['id']}", json=body(access={"kind": "zipf", "exponent": 1})).json()
    third = client.put(f"{URL}/{first['id']}", json=body()).json()
    assert [item["version"] for item in (first, second, third)] == [1, 2, 3]
    assert {item["lineage_id"] for item in (first, second, third)} == {first["lineage_id"]}
    assert client.get(f"{URL}/{first['id']}").json() == first
    assert [item["id"] for item in client.get(URL).json()["items"]] == [third["id"]]


def test_the_hash_is_of_the_meaning_not_of_the_text(client: Caller) -> None:
    plain = client.post(URL, json=body()).json()
    spelled_out = client.post(URL, json=body(access={"kind": "uniform"})).json()
    other = client.post(URL, json=body(access={"kind": "zipf", "exponent": 1})).json()
    assert plain["definition_hash"] == spelled_out["definition_hash"]
    assert plain["definition_hash"] != other["definition_hash"]


def test_archiving_hides_all_versions(client: Caller) -> None:
    first = client.post(URL, json=body()).json()
    second = client.put(f"{URL}/{first['id']}", json=body()).json()
    assert client.delete(f"{URL}/{second['id']}").status_code == 204
    assert client.get(URL).json()["items"] == []
    assert client.get(f"{URL}/{first['id']}").status_code == 404


def test_a_fault_names_its_field(client: Caller) -> None:
    response = client.post(URL, json=body(operations=[{"kind": "get", "weight": 0}]))
    assert response.status_code == 422
    assert [error["path"] for error in response.json()["errors"]] == ["definition.operations[0].weight"]
    response = client.post(URL, json=body(access={"kind": "zipf"}))
    assert [error["path"] for error in response.json()["errors"]] == ["definition.access.exponent"]


def test_workloads_of_another_team_are_not_found(client: Caller, other_team: Caller) -> None:
    url = f"{URL}/{client.post(URL, json=body()).json()['id']}"
    answers = [other_team.get(url), other_team.put(url, json=body()), other_team.delete(url)]
    assert {answer.status_code for answer in answers} == {404}
    assert other_team.get(URL).json()["items"] == []
