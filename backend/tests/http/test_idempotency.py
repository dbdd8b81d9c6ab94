"""`Idempotency-Key`: the same POST again does nothing and gets the first answer."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

from httpx2 import Response
from loadstone.db import unit_of_work
from loadstone.http.idempotency import forget_keys
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, managed_target

URL = "/api/v1/targets"


def create(caller: Caller, key: str, **fields: Any) -> Response:
    return caller.post(URL, json=managed_target(**fields), headers={"Idempotency-Key": key})


def names(caller: Caller) -> list[str]:
    return [item["name"] for item in caller.get(URL).json()["items"]]


def test_the_same_request_again_gets_the_first_answer(client: Caller) -> None:
    first, second = create(client, "k", name="one"), create(client, "k", name="one")
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert names(client) == ["one"]


def test_another_request_under_the_same_key_is_refused(client: Caller) -> None:
    create(client, "k", name="one")
    refused = create(client, "k", name="two")
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_key_reused")
    other_address = client.post("/api/v1/workloads", json=managed_target(), headers={"Idempotency-Key": "k"})
    assert other_address.status_code == 422
    assert names(client) == ["one"]


def test_a_refused_request_leaves_its_key_free(client: Caller) -> None:
    assert create(client, "k", profile="unknown").status_code == 422
    assert create(client, "k", name="one").status_code == 201


def test_keys_of_different_people_are_different(client: Caller, editor: Caller) -> None:
    create(client, "k", name="one")
    assert create(editor, "k", name="two").status_code == 201
    assert names(client) == ["two", "one"]


def test_two_at_once_create_one(client: Caller) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: create(client, "k", name="one"), range(8)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert names(client) == ["one"]


def test_a_key_is_forgotten_after_its_time(client: Caller) -> None:
    create(client, "k", name="one")
    with unit_of_work() as unit:
        assert forget_keys(unit, datetime.now(UTC) - timedelta(hours=1)) == 0
        assert forget_keys(unit, datetime.now(UTC) + timedelta(hours=1)) == 1
    assert create(client, "k", name="two").status_code == 201


def test_what_is_kept_holds_no_password(client: Caller) -> None:
    body = external_target(password="hunter2")
    answer = client.post(URL, json=body, headers={"Idempotency-Key": "k"})
    again = client.post(URL, json=body, headers={"Idempotency-Key": "k"})
    assert answer.json() == again.json()
    assert "hunter2" not in again.text
