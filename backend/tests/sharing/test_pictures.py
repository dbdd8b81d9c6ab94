"""Pictures and badges by address: drawn here, bounded, kept, and harmless whatever the names."""

import struct
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from fastapi.testclient import TestClient
from loadstone.models import Run
from loadstone.sharing.badge import badge_svg
from loadstone.sharing.chart import short_number, short_time, tick_text
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, make_run, resolved_plan, trials_of
from loadstone_testing.simulated_agent import SimulatedAgent, kept

HOSTILE = '<script>alert(1)</script>"&$\\frac{1}{0}$'
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(client: Caller) -> Run:
    """Measured."""
    agent = SimulatedAgent.enroll(client)
    run = make_run(client.principal, resolved_plan())
    agent.execute_all(first_trial(client, run))
    return run


def address(caller: Caller, run: Run, **fields: Any) -> str:
    body = {"kind": "run", "subject": {"run_id": str(run.id)}} | fields
    return f"/api/v1/shared/{caller.post('/api/v1/shares', json=body).json()['token']}"


def texts(svg: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_chart_is_an_svg_with_the_names_and_the_axis_of_the_view(
    client: Caller, anonymous: TestClient, run: Run
) -> None:
    url = address(client, run, view={"hide": ["redis"]}, title="What we measured")
    response = anonymous.get(f"{url}/chart.svg")
    assert response.headers["content-type"] == "image/svg+xml"
    shown = texts(response.content)
    assert {"What we measured", "Connections", "Throughput (ops/s)"} <= set(shown)
    assert "redis" not in shown
    times = texts(anonymous.get(f"{url}/chart.svg?curve=response_time").content)
    assert "Response time, p99 (ms)" in times


def test_a_png_has_the_size_that_was_asked_for(client: Caller, anonymous: TestClient, run: Run) -> None:
    url = address(client, run)
    content = anonymous.get(f"{url}/chart.png?width=640&height=360&theme=dark").content
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (640, 360)


@pytest.mark.parametrize("query", ["width=100000", "height=1", "theme=pink", "curve=all"])
def test_sizes_and_choices_are_bounded(client: Caller, anonymous: TestClient, run: Run, query: str) -> None:
    response = anonymous.get(f"{address(client, run)}/chart.png?{query}")
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")


def test_a_picture_is_cached_for_a_minute_and_asked_for_by_its_tag(
    client: Caller, anonymous: TestClient, run: Run
) -> None:
    url = f"{address(client, run)}/chart.svg"
    first = anonymous.get(url)
    assert first.headers["cache-control"] == "public, max-age=60"
    assert first.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    again = anonymous.get(url, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_hostile_names_are_text_in_every_picture(client: Caller, anonymous: TestClient, run: Run) -> None:
    url = address(client, run, title=HOSTILE)
    assert HOSTILE in texts(anonymous.get(f"{url}/chart.svg").content)
    for theme in ("light", "dark"):
        assert anonymous.get(f"{url}/chart.png?theme={theme}").status_code == 200
    assert "<script" not in badge_svg(HOSTILE, HOSTILE)
    assert texts(badge_svg(HOSTILE, "\0\x1b[31m").encode())[0] == HOSTILE


def test_a_badge_says_who_does_best_of_those_shown(client: Caller, anonymous: TestClient, run: Run) -> None:
    label, value = texts(anonymous.get(f"{address(client, run)}/badge.svg").content)
    assert label in ("memcached get", "redis get")
    assert value.endswith(" ops/s")
    hidden = address(client, run, view={"hide": ["redis"]})
    label, value = texts(anonymous.get(f"{hidden}/badge.svg?curve=response_time").content)
    assert label == "memcached get"
    assert value.startswith("p99 ")


@pytest.fixture
def killed(client: Caller) -> Run:
    """Its stores were killed: memcached lost everything, Redis nothing."""
    agent = SimulatedAgent.enroll(client)
    run = make_run(client.principal, resolved_plan(axes=[]))
    for trial in trials_of(client, run):
        lost = 1_000 if trial.parameters["target"] == "memcached" else 0
        agent.finish(agent.claim(str(trial.id)), durability=kept(lost=lost))
    return run


def test_a_run_that_kills_its_stores_shows_what_that_took(client: Caller, anonymous: TestClient, killed: Run) -> None:
    url = address(client, killed)
    shown = texts(anonymous.get(f"{url}/chart.svg").content)
    assert {"memcached", "redis", "Acknowledged keys lost to the kill (%)"} <= set(shown)
    sentence = client.get(f"/api/v1/runs/{killed.id}/verdict").json()["sentence"]
    assert sentence == "The kill cost memcached 100 % of its keys; 1 other lost nothing."
    assert sentence in " ".join(shown)
    assert texts(anonymous.get(f"{url}/badge.svg").content) == ["memcached", "100 % lost"]


def test_what_a_kill_took_follows_the_view_and_gives_way_to_a_curve_that_is_asked_for(
    client: Caller, anonymous: TestClient, killed: Run
) -> None:
    hidden = address(client, killed, view={"hide": ["memcached"]})
    assert "memcached" not in texts(anonymous.get(f"{hidden}/chart.svg").content)
    assert texts(anonymous.get(f"{hidden}/badge.svg").content)[1] == "nothing lost or torn"
    for url in (
        f"{address(client, killed)}/chart.svg?curve=throughput",
        f"{address(client, killed, view={'metric': 'throughput_per_s'})}/chart.svg",
    ):
        assert "Throughput (ops/s)" in texts(anonymous.get(url).content)


def test_a_run_without_figures_says_so(client: Caller, anonymous: TestClient) -> None:
    url = address(client, make_run(client.principal, name="not yet"))
    assert "No figures yet" in texts(anonymous.get(f"{url}/chart.svg").content)
    assert texts(anonymous.get(f"{url}/badge.svg").content) == ["not yet", "queued"]


@pytest.mark.parametrize(
    "view",
    [
        {"axis": "nonsense", "at": [], "hide": 7, "pct": {"a": 1}, "zoom": ["x", None]},
        {"zoom": [5, 5], "op": 9, "time": [], "logx": "yes", "at": {"pipeline": "many"}},
    ],
)
def test_a_view_that_makes_no_sense_falls_back(
    client: Caller, anonymous: TestClient, run: Run, view: dict[str, Any]
) -> None:
    assert anonymous.get(f"{address(client, run, view=view)}/chart.svg").status_code == 200


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.00123, "0.00123"), (9.5, "9.50"), (999.6, "1.00k"), (412_345, "412k"), (1.27e6, "1.27M")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert short_number(value) == text


def test_ticks_are_round_and_times_have_units() -> None:
    assert [tick_text(value) for value in (1, 16, 0.5, 100_000, 1_500)] == ["1", "16", "0.5", "100k", "1.5k"]
    assert [short_time(value) for value in (900, 1_270_000, 2e9)] == ["900 ns", "1.27 ms", "2.00 s"]
