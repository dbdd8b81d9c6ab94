"""Plans as files: lines are named, applying twice changes nothing, and nothing hostile gets through."""

import json
from collections.abc import Callable

import pytest
import yaml
from loadstone_cli.errors import CommandFailed
from loadstone_cli.plan_file import parse_plan, read_plan
from loadstone_cli_testing.calling import CommandLine
from loadstone_cli_testing.plans import SMALL
from loadstone_testing.callers import Caller

Write = Callable[..., str]


def test_a_good_plan_says_what_it_would_do(loadstone: CommandLine, plan_file: Write) -> None:
    said = loadstone.ok("plan", "validate", plan_file(SMALL))
    assert "4 points, 8 trials" in said.out
    assert loadstone.ok("plan", "validate", "plan.yaml", "--json").json["valid"] is True


@pytest.mark.parametrize(
    ("good", "bad", "line", "code"),
    [
        ("seconds: 1}", "seconds: -1}", 21, "greater_than"),
        ("trials_per_point: 2", "trails_per_point: 2", 18, "extra_forbidden"),
        ("values: [1, 2]", "values: [1, 1]", 17, "duplicate_value"),
        ("parameter: connections", "parameter: colour", 16, "unknown_parameter"),
        ("    profile: none", "    profile: any", 7, "unknown_profile"),
    ],
)
def test_a_fault_names_its_line(
    loadstone: CommandLine, plan_file: Write, good: str, bad: str, line: int, code: str
) -> None:
    said = loadstone("plan", "validate", plan_file(SMALL.replace(good, bad)))
    assert said.code == 2
    assert f"plan.yaml:{line}" in said.err
    assert f"[{code}]" in said.err


def test_refusals_have_a_stable_shape_for_programs(loadstone: CommandLine, plan_file: Write) -> None:
    said = loadstone("plan", "validate", plan_file(SMALL.replace("[1, 2]", "[1, 1]")), "--json")
    assert (said.code, said.json["valid"]) == (2, False)
    assert said.json["refusals"][0].keys() >= {"code", "message", "path", "place"}


def test_a_plan_is_read_from_stdin_and_changed_on_the_way(loadstone: CommandLine) -> None:
    said = loadstone.ok("plan", "validate", "-", "--set", "trials_per_point=7", "--json", stdin=SMALL)
    assert said.json["trial_count"] == 28


def test_applying_creates_then_leaves_then_changes(loadstone: CommandLine, client: Caller, plan_file: Write) -> None:
    file = plan_file(SMALL)
    outcomes = [loadstone.ok("plan", "apply", file, "--json").json for _ in range(2)]
    outcomes.append(loadstone.ok("plan", "apply", file, "--set", "trials_per_point=5", "--json").json)
    assert [one["outcome"] for one in outcomes] == ["created", "unchanged", "changed"]
    assert [one["plan"]["version"] for one in outcomes] == [1, 1, 2]
    assert len(client.get("/api/v1/plans").json()["items"]) == 1


def test_a_refused_plan_is_not_applied(loadstone: CommandLine, client: Caller, plan_file: Write) -> None:
    said = loadstone("plan", "apply", plan_file(SMALL.replace("profile: none", "profile: any")), "--json")
    assert (said.code, said.error["code"]) == (2, "plan_refused")
    assert said.error["errors"][0]["path"].startswith("plan.yaml:7 ")
    assert client.get("/api/v1/plans").json()["items"] == []


def test_what_show_prints_can_be_applied_again(loadstone: CommandLine, plan_file: Write, api_url: str) -> None:
    loadstone.ok("plan", "apply", plan_file(SMALL))
    shown = loadstone.ok("plan", "show", "small").out
    assert shown.splitlines()[0] == f"# yaml-language-server: $schema={api_url}/api/v1/schemas/plan.json"
    assert loadstone.ok("plan", "apply", plan_file(shown), "--json").json["outcome"] == "unchanged"
    assert loadstone.ok("plan", "list", "--json").json["items"][0]["name"] == "small"


def test_the_schema_is_the_published_one(loadstone: CommandLine, client: Caller) -> None:
    assert loadstone.ok("plan", "schema").json == client.get("/api/v1/schemas/plan.json").json()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("targets:\n  - [\n", "x.yaml:3"),
        ("name: a\nname: b\n", "stands there twice"),
        ("- a\n- b\n", "holds no plan"),
        ("", "holds no plan"),
        ("a: &a [x]\nb: *a\n", "anchors"),
        ("name: !!python/object/apply:os.system [id]\n", "x.yaml:1"),
        ("rest_s: .nan\n", "JSON"),
        ("? [a]\n: b\n", "x.yaml"),
    ],
)
def test_what_is_no_plan_is_refused_before_anything_is_sent(text: str, told: str) -> None:
    with pytest.raises(CommandFailed, match=r"x\.yaml") as caught:
        parse_plan("x.yaml", text)
    assert told in caught.value.message
    assert caught.value.exit_code == 2


def test_a_huge_file_is_not_read_whole(loadstone: CommandLine, plan_file: Write) -> None:
    said = loadstone("plan", "validate", plan_file("name: " + "x" * 2_000_000), "--json")
    assert (said.code, said.error["code"]) == (2, "plan_too_large")


def test_json_is_a_plan_file_too(plan_file: Write, loadstone: CommandLine) -> None:
    definition = yaml.safe_load(SMALL)
    assert read_plan(plan_file(json.dumps(definition), "plan.json")).definition == definition


def test_a_date_stays_text() -> None:
    assert parse_plan("x.yaml", "name: 2026-11-21").definition == {"name": "2026-11-21"}


@pytest.mark.parametrize("change", ["trials", "=3", "name.inner=3", "name=["])
def test_a_change_that_cannot_be_made_is_refused(change: str, plan_file: Write, loadstone: CommandLine) -> None:
    with pytest.raises(CommandFailed, match="--set"):
        read_plan(plan_file(SMALL), [change])
