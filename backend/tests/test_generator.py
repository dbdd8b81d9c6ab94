"""The generator of benches and demos fits the schema, and what it makes opens like what was measured."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from loadstone.models import Team

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.fixture
def token(database: str, team: Team) -> str:
    command: list[str | Path] = [sys.executable, BENCH / "fill_database.py", "--database-url", database]
    done = subprocess.run([*command, "--trials", "300", "--series", "20"], capture_output=True, text=True, check=True)
    return done.stdout.split('"')[3]


def test_a_filled_database_opens_like_a_measured_one(anonymous: TestClient, database: str, token: str) -> None:
    def get(path: str) -> dict[str, Any]:
        response = anonymous.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {token}"})
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    run = next(run for run in get("/runs?status=succeeded&limit=200")["items"] if run["trial_count"] == 60)
    points = get(f"/runs/{run['id']}/points")["items"]
    assert [len(point["trials"]) for point in points] == [3] * 20
    total = points[0]["total"]
    assert total["band"]["throughput_per_s"]["low"] <= total["throughput_per_s"]
    assert get(f"/runs/{run['id']}")["status_counts"]["succeeded"] == 60
    series = get("/series?limit=200")["items"]
    assert {line["value_count"] for line in series} <= {4, 5}
    values = get(f"/series/values?series_id={series[0]['id']}")["items"][0]["values"]
    assert len(values) == series[0]["value_count"]
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        sampled = connection.execute("SELECT trial_id FROM samples ORDER BY trial_id LIMIT 1").fetchone()
    assert sampled is not None
    assert len(get(f"/trials/{sampled[0]}/samples")["items"]) == 10
    assert get(f"/trials/{sampled[0]}")["phases"][0]["operations"][0]["throughput_per_s"] > 0


def test_its_runs_compare_and_its_steps_are_found(anonymous: TestClient, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    runs = anonymous.get("/api/v1/runs?status=succeeded&limit=200", headers=headers).json()["items"]
    of_one_plan = [run["id"] for run in runs if run["trial_count"] == 60]
    definition = {"base": {"run_id": of_one_plan[0]}, "contenders": [{"run_id": of_one_plan[1]}]}
    answer = anonymous.post("/api/v1/comparisons/evaluate", json=definition, headers=headers)
    assert answer.status_code == 200, answer.text
    cells = answer.json()["cells"]
    assert len(cells) == 40
    # Five sessions a series are too few to know how much sessions differ; nothing else is in the way.
    assert {cell["refusal"]["code"] for cell in cells} == {"no_session_history"}
