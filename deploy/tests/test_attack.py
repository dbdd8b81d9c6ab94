"""The attacks themselves: without anything that holds it, a hostile store succeeds, and the judges see it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from loadstone_local.attack.arming import arm
from loadstone_local.attack.attack_agent import HOSTILE_STORE
from loadstone_local.attack.canaries import Canaries, set_canaries
from loadstone_local.attack.options import HOSTILE_OPTIONS
from loadstone_local.attack.outcome import Figure, Outcome, Record
from loadstone_local.attack.statements import SHORT, STATEMENTS, Statement
from loadstone_local.secrets_file import free_port


@pytest.fixture
def canaries() -> Iterator[Canaries]:
    with set_canaries() as canaries:
        yield canaries


def test_a_file_that_appears_betrays_its_attack_and_no_other(canaries: Canaries) -> None:
    guilty, innocent = (arm(Statement(name, "touch @CANARY@"), "test", canaries) for name in ("one", "two"))
    assert guilty.what_betrays_it("", was_accepted=False) == ""
    subprocess.run(guilty.text.split(), check=True)
    assert guilty.what_betrays_it("", was_accepted=False) == "the canary test-one appeared"
    assert innocent.what_betrays_it("", was_accepted=False) == ""


def test_a_file_in_a_data_directory_that_is_gone_again_betrays_its_attack(canaries: Canaries, tmp_path: Path) -> None:
    canaries.watch(tmp_path)
    armed = arm(Statement("short-lived", "@NAME@"), "test", canaries)
    file = tmp_path / "store" / armed.text
    file.parent.mkdir()
    file.touch()
    time.sleep(0.5)
    file.unlink()
    assert armed.what_betrays_it("", was_accepted=False) != ""


def test_a_secret_in_an_answer_and_a_command_carried_out_betray_their_attack(canaries: Canaries) -> None:
    read = arm(Statement("read", "@SECRET@", "effect"), "test", canaries)
    assert read.what_betrays_it(Path(read.text).read_text(), was_accepted=True) == "the planted secret was read"
    assert read.what_betrays_it("(None,)", was_accepted=True) == ""
    powerful = arm(Statement("power", "SHUTDOWN"), "test", canaries)
    assert powerful.what_betrays_it("", was_accepted=True) == "the store carried it out"


def test_a_library_that_is_loaded_betrays_its_attack(canaries: Canaries) -> None:
    subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL('{canaries.library}')"], cwd="/tmp", check=True)
    Path("/tmp/loadstone-canary-library").unlink()
    assert arm(Statement("load", ""), "test", canaries).what_betrays_it("", was_accepted=False) != ""


def test_every_attack_has_a_name_of_its_own() -> None:
    for statements in STATEMENTS.values():
        names = [statement.name for statement in statements]
        assert len(names) == len(set(names))
    assert all(set(names) <= {one.name for one in STATEMENTS[kind]} for kind, names in SHORT.items())
    assert set(HOSTILE_OPTIONS) == set(STATEMENTS)


def test_a_record_holds_when_everything_was_tried_and_nothing_succeeded() -> None:
    failed, succeeded = (Outcome("f", str(word), "x", succeeded=word) for word in (False, True))
    late = Figure("late", 6, "s", 5, "m", 1)
    assert Record([failed]).holds()
    assert not Record([failed, succeeded]).holds()
    assert not Record([failed], faults=["not tried"]).holds()
    assert not Record([failed], figures=[late]).holds()
    lines = [json.loads(figure.line()) for figure in Record([failed, succeeded], quiet={"q": 7}).counts()]
    assert [(line["name"], line["value"], line["holds"]) for line in lines] == [
        ("attacks_q_tried", 7, True),
        ("attacks_q_succeeded", 0, True),
        ("attacks_f_tried", 2, True),
        ("attacks_f_succeeded", 1, False),
    ]


@pytest.fixture
def unconfined(tmp_path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The hostile store as an ordinary program of this user: port, and what it was told."""
    secret, mark = tmp_path / "secret", f"loadstone-test-{os.getpid()}"
    secret.write_text("a secret")
    (tmp_path / "data").mkdir()
    port, extra = free_port(), free_port()
    config = {
        "environment_mark": "mark", "file_mark": mark, "process_mark": mark, "forks": 5, "agent_pids": [],
        "reads": {"the identity": str(secret)}, "trees": {"a folder": str(tmp_path)},
        "writes": {"a folder": str(tmp_path)}, "overwrites": {}, "victims": {}, "outside": [str(tmp_path)],
        "setuid_program": "/usr/bin/id", "ports": {}, "greetings": {},
        "listens": {"a port": ["127.0.0.1", extra]}, "outliving": ["child"],
    }  # fmt: skip
    program = tmp_path / "memcached"
    program.write_text(HOSTILE_STORE.read_text().replace("@CONFIG@", json.dumps(config)))
    store = subprocess.Popen([sys.executable, "-IS", str(program), "-p", str(port)], cwd=tmp_path / "data")
    yield port, config | {"extra": extra}
    store.kill()
    store.wait()
    for process in psutil.process_iter():
        if mark in " ".join(process.cmdline() if process.is_running() else []):
            process.kill()


def test_a_hostile_store_that_nothing_holds_succeeds(unconfined: tuple[int, dict[str, Any]], tmp_path: Path) -> None:
    """Else its failures in a sandbox would prove nothing."""
    port, config = unconfined
    report = _report(port)
    assert report["read the identity"]["got"] == "a secret"
    assert "a secret" in report["read everything in a folder"]["got"]
    assert (tmp_path / config["file_mark"]).exists()
    assert report["fork without end"]["got"] == 5
    assert report["plant links"]["got"] == "planted"
    with closing(socket.create_connection(("127.0.0.1", config["extra"]), timeout=5)):
        pass
    lines = [" ".join(one.info["cmdline"] or []) for one in psutil.process_iter(["cmdline"])]
    assert any(f"{config['process_mark']}-child 300" in line for line in lines)


def _report(port: int) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with closing(socket.create_connection(("127.0.0.1", port), timeout=5)) as link:
                link.sendall(b"attack-report\r\n")
                told = json.loads(link.makefile("rb").readline())
        except OSError:
            told = {"done": False}
        if told["done"]:
            return dict(told["report"])
        time.sleep(0.1)
    raise AssertionError("the hostile store did not finish")
