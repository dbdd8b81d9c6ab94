"""Comments: threads, whose they are, and what is kept of them."""

from typing import Any

import pytest
from loadstone.models import Run
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import make_run

HOSTILE = "<img src=x onerror=alert(1)> [click](javascript:alert(1)) `'; DROP TABLE comments; --`"


@pytest.fixture
def run(client: Caller) -> Run:
    return make_run(client.principal)


def say(caller: Caller, run: Run, text: str = "It stalls at 64.", **fields: Any) -> dict[str, Any]:
    body = {"subject_kind": "run", "subject_id": str(run.id), "text": text} | fields
    response = caller.post("/api/v1/comments", json=body)
    assert response.status_code == 201, response.text
    comment: dict[str, Any] = response.json()
    return comment


def said(caller: Caller, run: Run) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = caller.get(f"/api/v1/comments?subject_kind=run&subject_id={run.id}").json()["items"]
    return items


def test_answers_hang_on_the_beginning_of_their_thread(client: Caller, editor: Caller, run: Run) -> None:
    first = say(client, run)
    answer = say(editor, run, "Since when?", parent_id=first["id"])
    further = say(client, run, "Since 1.6.", parent_id=answer["id"])
    assert (answer["parent_id"], further["parent_id"]) == (first["id"], first["id"])
    assert [item["text"] for item in said(client, run)] == ["It stalls at 64.", "Since when?", "Since 1.6."]
    assert said(client, run)[1]["created_by"]["name"] == editor.principal.user_name


def test_what_is_said_about_a_point_is_read_with_its_run(client: Caller, run: Run) -> None:
    points = client.get(f"/api/v1/runs/{run.id}/points").json()["items"]
    say(client, run, subject_kind="point", subject_id=points[1]["id"])
    say(client, run, "About all of it.")
    assert [item["subject_kind"] for item in said(client, run)] == ["point", "run"]
    of_point = client.get(f"/api/v1/comments?subject_kind=point&subject_id={points[1]['id']}").json()["items"]
    assert len(of_point) == 1
    assert client.get(f"/api/v1/comments?subject_kind=point&subject_id={points[0]['id']}").json()["items"] == []


def test_texts_come_back_as_they_were_written(client: Caller, run: Run) -> None:
    assert say(client, run, HOSTILE)["text"] == HOSTILE
    assert said(client, run)[0]["text"] == HOSTILE


def test_people_change_their_own_and_admins_any(client: Caller, editor: Caller, viewer: Caller, run: Run) -> None:
    of_admin, of_editor = say(client, run), say(editor, run)
    url = f"/api/v1/comments/{of_admin['id']}"
    refused = editor.put(url, json={"text": "no"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_your_comment")
    assert editor.delete(url).status_code == 403
    changed = client.put(f"/api/v1/comments/{of_editor['id']}", json={"text": "put right"}).json()
    assert changed["text"] == "put right"
    assert changed["edited_at"] is not None
    assert [item["may_change"] for item in said(editor, run)] == [False, True]
    assert [item["may_change"] for item in said(client, run)] == [True, True]
    assert [item["may_change"] for item in said(viewer, run)] == [False, False]


def test_a_deleted_text_is_gone_but_its_answers_stay(client: Caller, run: Run) -> None:
    first = say(client, run, "a secret")
    say(client, run, "an answer", parent_id=first["id"])
    assert client.delete(f"/api/v1/comments/{first['id']}").status_code == 204
    items = said(client, run)
    assert [item["text"] for item in items] == [None, "an answer"]
    refused = client.put(f"/api/v1/comments/{first['id']}", json={"text": "again"})
    assert (refused.status_code, refused.json()["code"]) == (409, "comment_deleted")
    alone = say(client, run)
    client.delete(f"/api/v1/comments/{alone['id']}")
    assert alone["id"] not in {item["id"] for item in said(client, run)}


def test_another_team_neither_reads_nor_writes(client: Caller, other_team: Caller, run: Run) -> None:
    comment = say(client, run)
    body = {"subject_kind": "run", "subject_id": str(run.id), "text": "hello"}
    assert other_team.post("/api/v1/comments", json=body).status_code == 404
    assert other_team.get(f"/api/v1/comments?subject_kind=run&subject_id={run.id}").status_code == 404
    assert other_team.put(f"/api/v1/comments/{comment['id']}", json={"text": "mine"}).status_code == 404
    assert other_team.delete(f"/api/v1/comments/{comment['id']}").status_code == 404


def test_an_answer_to_another_runs_thread_is_refused(client: Caller, run: Run) -> None:
    first = say(client, make_run(client.principal))
    body = {"subject_kind": "run", "subject_id": str(run.id), "text": "hello", "parent_id": first["id"]}
    assert client.post("/api/v1/comments", json=body).status_code == 404


@pytest.mark.parametrize("text", ["", "   \n", "x" * 10_001])
def test_empty_and_endless_texts_are_refused(client: Caller, run: Run, text: str) -> None:
    body = {"subject_kind": "run", "subject_id": str(run.id), "text": text}
    response = client.post("/api/v1/comments", json=body)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "text")
