"""What is no bundle, or no longer one, or means harm, gets a stable code and leaves nothing behind."""

import base64
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from loadstone.bundles import reading
from loadstone.db import unit_of_work
from loadstone.main import create_app
from loadstone.models import Agent, Run
from loadstone.settings import get_settings
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, make_run, resolved_plan
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import func, select

Files = dict[str, bytes]


@pytest.fixture
def files(client: Caller) -> Files:
    """What stands in a bundle of one point and two trials."""
    agent = SimulatedAgent.enroll(client)
    run = make_run(client.principal, resolved_plan(("memcached",), axes=[]))
    agent.execute_all(first_trial(client, run))
    response = client.get(f"/api/v1/runs/{run.id}/bundle")
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Files) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def signed(files: Files, **facts: Any) -> bytes:
    """With a manifest that fits what was changed: checksums keep accidents out, not people."""
    manifest = json.loads(files["manifest.json"]) | facts
    for name, content in files.items():
        if name != "manifest.json" and name in manifest["files"]:
            digest = hashlib.sha256(content).hexdigest()
            entry = {"sha256": digest, "bytes": len(content), "rows": content.count(b"\n")}
            manifest["files"][name] = entry
    return packed({**files, "manifest.json": json.dumps(manifest).encode()})


def changed(files: Files, file_name: str, /, **fields: Any) -> Files:
    """With other fields in the first line of one file."""
    first, _, rest = files[file_name].partition(b"\n")
    line = json.dumps(json.loads(first) | fields).encode()
    return {**files, file_name: line + b"\n" + rest}


def refusal(client: Caller, bundle: bytes) -> str:
    with unit_of_work() as unit:
        before = unit.session.scalar(select(func.count(Run.id)))
    response = client.post("/api/v1/bundles", content=bundle, headers={"Content-Type": "application/zip"})
    assert response.status_code == 422, response.text
    with unit_of_work() as unit:
        assert unit.session.scalar(select(func.count(Run.id))) == before
        assert unit.session.scalar(select(func.count(Agent.id)).where(Agent.is_foreign)) == 0
    code: str = response.json()["code"]
    return code


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"\0" * 100_000])
def test_what_is_no_zip(client: Caller, content: bytes) -> None:
    assert refusal(client, content) in ("bundle_unreadable", "bundle_files_unexpected")


def test_a_bundle_cut_off_on_its_way(client: Caller, files: Files) -> None:
    whole = packed(files)
    assert refusal(client, whole[: len(whole) // 2]) == "bundle_unreadable"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\windows", "run.json/", "extra.json"])
def test_names_that_do_not_belong_there(client: Caller, files: Files, name: str) -> None:
    assert refusal(client, packed({**files, name: b"{}"})) == "bundle_files_unexpected"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_that_are_missing_or_there_twice(client: Caller, files: Files) -> None:
    assert (
        refusal(client, packed({k: v for k, v in files.items() if k != "points.ndjson"})) == "bundle_files_unexpected"
    )
    file = io.BytesIO(packed(files))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("run.json", b"{}")
    assert refusal(client, file.getvalue()) == "bundle_files_unexpected"


def test_one_changed_byte(client: Caller, files: Files) -> None:
    content = bytearray(files["results.ndjson"])
    content[len(content) // 2] ^= 1
    assert refusal(client, packed({**files, "results.ndjson": bytes(content)})) == "bundle_checksum_wrong"


def test_a_version_from_the_future(client: Caller, files: Files) -> None:
    assert refusal(client, signed(files, version=4)) == "bundle_version_unknown"
    assert refusal(client, signed(files, format="something else")) == "bundle_row_invalid"


def test_a_bomb_is_not_unpacked(client: Caller, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "UNPACKED_BYTES_MAX", 50_000_000)
    bomb = packed({**files, "samples.ndjson": b"\0" * 60_000_000})
    assert len(bomb) < 200_000
    assert refusal(client, bomb) == "bundle_too_large"


def test_a_bomb_that_lies_about_its_size(client: Caller, files: Files) -> None:
    """The directory of the zip says a hundred bytes where there are ten million."""
    bomb = bytearray(packed({**files, "samples.ndjson": b"\0" * 10_000_000}))
    size = (10_000_000).to_bytes(4, "little")
    while (place := bomb.find(size)) >= 0:
        bomb[place : place + 4] = (100).to_bytes(4, "little")
    assert refusal(client, bytes(bomb)) in ("bundle_unreadable", "bundle_checksum_wrong")


def test_a_manifest_without_end(client: Caller, files: Files) -> None:
    assert refusal(client, packed({**files, "manifest.json": b" " * 70_000})) == "bundle_too_large"


def test_a_line_without_end(client: Caller, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LINE_BYTES_MAX", 100)
    assert refusal(client, packed(files)) == "bundle_too_large"


NESTED = b'{"id":"0190a000-0000-7000-8000-000000000000","inventory":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001 + b"\n"
INVALID: list[tuple[str, Callable[[Files], Files]]] = [
    ("a status that is none", lambda files: changed(files, "run.json", status="great")),
    ("a run that goes on", lambda files: changed(files, "run.json", status="running")),
    ("a trial that goes on", lambda files: changed(files, "trials.ndjson", status="queued")),
    ("a field nobody knows", lambda files: changed(files, "points.ndjson", is_admin=True)),
    ("a name without end", lambda files: changed(files, "run.json", name="x" * 201)),
    ("a number beyond all columns", lambda files: changed(files, "results.ndjson", count=2**63)),
    ("a negative number", lambda files: changed(files, "samples.ndjson", seq=-1)),
    ("no number", lambda files: changed(files, "results.ndjson", throughput_per_s=float("nan"))),
    ("no JSON", lambda files: {**files, "trials.ndjson": b"{\n" + files["trials.ndjson"]}),
    ("half a character", lambda files: changed(files, "agents.json", name="\ud800")),
    ("nesting without end", lambda files: {**files, "environments.json": NESTED}),
    ("two runs", lambda files: {**files, "run.json": files["run.json"] * 2}),
    ("no histogram", lambda files: changed(files, "results.ndjson", response_histogram="aGVsbG8=")),
]


@pytest.mark.parametrize(("change"), [change for _, change in INVALID], ids=[name for name, _ in INVALID])
def test_rows_that_no_run_can_have(client: Caller, files: Files, change: Callable[[Files], Files]) -> None:
    assert refusal(client, signed(change(files))) == "bundle_row_invalid"


def test_a_bomb_inside_a_histogram(client: Caller, files: Files) -> None:
    first = json.loads(files["results.ndjson"].partition(b"\n")[0])
    head = base64.b64decode(first["response_histogram"])[:4]
    packed_zeros = zlib.compress(b"\0" * 100_000_000)
    blob = base64.b64encode(head + len(packed_zeros).to_bytes(4, "big") + packed_zeros).decode()
    assert refusal(client, signed(changed(files, "results.ndjson", response_histogram=blob))) == "bundle_row_invalid"


OTHER_TRACE = b"0,get,a,\n"
TRACE_FILE = f"traces/{hashlib.sha256(OTHER_TRACE).hexdigest()}.csv"


def replaying(files: Files) -> Files:
    """A plan that replays `OTHER_TRACE`, with nothing else changed."""
    run = json.loads(files["run.json"])
    run["definition"]["workload"]["trace"] = {"digest": TRACE_FILE[7:71]}
    return {**files, "run.json": json.dumps(run).encode() + b"\n"}


def with_trace(files: Files, content: bytes = OTHER_TRACE, name: str = TRACE_FILE, **facts: Any) -> bytes:
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = {"sha256": "0" * 64, "bytes": 0, "rows": 0}
    whole = {**files, name: content, "manifest.json": json.dumps(manifest).encode()}
    return signed(whole, **{"version": 3, **facts})


def named(content: bytes) -> str:
    return f"traces/{hashlib.sha256(content).hexdigest()}.csv"


def test_a_trace_that_the_plan_does_not_replay(client: Caller, files: Files) -> None:
    assert refusal(client, with_trace(files)) == "bundle_inconsistent"


def test_a_trace_that_is_not_what_its_name_says(client: Caller, files: Files) -> None:
    assert refusal(client, with_trace(replaying(files), content=b"1,get,b,\n")) == "bundle_checksum_wrong"


def test_a_trace_in_a_version_that_knows_none(client: Caller, files: Files) -> None:
    assert refusal(client, with_trace(replaying(files), version=2)) == "bundle_files_unexpected"


def test_a_trace_that_the_manifest_does_not_name(client: Caller, files: Files) -> None:
    bundle = packed({**replaying(files), TRACE_FILE: OTHER_TRACE})
    assert refusal(client, bundle) == "bundle_files_unexpected"


@pytest.mark.parametrize(
    "name", ["traces/../run.csv", "traces/monday.csv", f"{TRACE_FILE}/", f"../{TRACE_FILE}", TRACE_FILE.upper()]
)
def test_a_trace_by_any_other_name(client: Caller, files: Files, name: str) -> None:
    assert refusal(client, with_trace(replaying(files), name=name)) == "bundle_files_unexpected"


def test_a_file_that_is_no_trace(client: Caller, files: Files) -> None:
    content = b"hello\n"
    files = {name: text.replace(TRACE_FILE[7:71].encode(), named(content)[7:71].encode())
             for name, text in replaying(files).items()}  # fmt: skip
    assert refusal(client, with_trace(files, content, named(content))) == "bundle_row_invalid"


def test_a_trace_larger_than_one_may_be(client: Caller, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_settings(), "max_trace_bytes", 5)
    assert refusal(client, with_trace(replaying(files))) == "bundle_too_large"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_trace_that_is_there_twice(client: Caller, files: Files) -> None:
    file = io.BytesIO(with_trace(replaying(files)))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(TRACE_FILE, OTHER_TRACE)
    assert refusal(client, file.getvalue()) == "bundle_files_unexpected"


STRANGE_ID = "0190a000-0000-7000-8000-000000000000"
INCONSISTENT: list[tuple[str, Callable[[Files], Files]]] = [
    ("a trial of no point", lambda files: changed(files, "trials.ndjson", point_id=STRANGE_ID)),
    ("results of no trial", lambda files: changed(files, "results.ndjson", trial_id=STRANGE_ID)),
    ("seconds of no agent", lambda files: changed(files, "samples.ndjson", agent_id=STRANGE_ID)),
    ("an agent it does not hold", lambda files: changed(files, "run.json", agent_id=STRANGE_ID)),
    ("more trials than it says", lambda files: changed(files, "run.json", trial_count=1)),
    ("a point of no target", lambda files: changed(files, "points.ndjson", target_index=7)),
    ("counted though it failed", lambda files: changed(files, "trials.ndjson", status="failed")),
    ("points that count others", lambda files: changed(files, "trials.ndjson", is_counted=False)),
]


@pytest.mark.parametrize(("change"), [change for _, change in INCONSISTENT], ids=[name for name, _ in INCONSISTENT])
def test_parts_that_do_not_fit_together(client: Caller, files: Files, change: Callable[[Files], Files]) -> None:
    assert refusal(client, signed(change(files))) == "bundle_inconsistent"


def test_rows_that_are_there_twice(client: Caller, files: Files) -> None:
    twice = {**files, "samples.ndjson": files["samples.ndjson"] * 2}
    assert refusal(client, signed(twice)) == "bundle_inconsistent"


def test_a_nul_that_the_database_cannot_hold(client: Caller, files: Files) -> None:
    assert refusal(client, signed(changed(files, "run.json", name="a\0b"))) == "invalid_input"


def test_hostile_names_come_in_as_text(client: Caller, files: Files) -> None:
    name = "<script>alert(1)</script>=cmd|' /C calc'!A0"
    bundle = signed(changed(files, "run.json", name=name))
    response = client.post("/api/v1/bundles", content=bundle, headers={"Content-Type": "application/zip"})
    assert response.json()["name"] == name


def test_only_bundles_may_be_large(anonymous: TestClient, client: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = get_settings().model_copy(update={"max_body_bytes": 1_000, "max_bundle_bytes": 20_000})
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/zip"}
    http = TestClient(create_app(settings))
    assert http.post("/api/v1/bundles", content=b"x" * 10_000, headers=headers).status_code == 422
    assert http.post("/api/v1/bundles", content=b"x" * 30_000, headers=headers).status_code == 413
    chunks = (b"x" * 10_000 for _ in range(4))
    assert http.post("/api/v1/bundles", content=chunks, headers=headers).status_code == 413
    assert http.post("/api/v1/runs", content=b"x" * 2_000, headers=headers).status_code == 413


@pytest.mark.parametrize("delays", [[0.0] * 150, [-0.5], [1.5]])
def test_delays_that_are_no_shares_over_the_grid(client: Caller, files: Files, delays: list[float]) -> None:
    broken = changed(files, "results.ndjson", delays={"response": delays})
    assert refusal(client, signed(broken)) == "bundle_row_invalid"


def test_a_broken_histogram_of_unanswered_requests(client: Caller, files: Files) -> None:
    broken = changed(files, "samples.ndjson", response_unanswered=base64.b64encode(b"nonsense").decode())
    assert refusal(client, signed(broken)) == "bundle_row_invalid"
