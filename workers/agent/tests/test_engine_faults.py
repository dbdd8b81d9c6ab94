"""Engines of the agent's own file, and whatever such a program may do: each ends in a coded error."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from loadstone_agent.engines import tool
from loadstone_agent.engines.catalog import EngineCatalog
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.engines.tool import Command, Reach, Tool
from loadstone_agent.errors import AgentError, BadPlan
from loadstone_agent.keeper import landlock
from loadstone_agent_testing.processes import processes_with, wait_until
from loadstone_contracts.engine_events import SummaryEvent, WarningEvent
from loadstone_contracts.engine_plan import EnginePlan

REPORT = '{"elapsed_s": 1.5, "count": 100, "histogram_us": {"120": 90, "250": 10}}'


def plan(**changes: Any) -> EnginePlan:
    fields: dict[str, Any] = {
        "target": {"protocol": "redis", "address": {"kind": "tcp", "host": "127.0.0.1", "port": 1}},
        "dataset": {"key_count": 10, "value_size": {"kind": "fixed", "bytes": 10}},
        "operations": [{"kind": "get", "weight": 1}],
        "load": {"kind": "closed", "connections": 2},
        "phases": [{"name": "measure", "stop": {"operations": 100}}],
        "seed": 1,
    }
    return EnginePlan.model_validate({**fields, **changes})


def catalog_with(tmp_path: Path, script: str, *words: str) -> EngineCatalog:
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 1.2.3 && exit\n{script}\n')
    program.chmod(0o755)
    entry = {
        "name": "ours",
        "title": "Our tool",
        "command": [str(program), *words],
        "protocols": ["redis"],
        "operations": ["get"],
    }
    configuration = tmp_path / "engines.json"
    configuration.write_text(json.dumps({"engines": [entry]}))
    return EngineCatalog(NativeEngine("no-engine"), tmp_path / "root", configuration)


def carry_out(catalog: EngineCatalog, tmp_path: Path, wanted: EnginePlan) -> list[Any]:
    run = catalog.get("custom:ours").start(wanted, tmp_path / "spool")
    try:
        return [event for _, event in run.events()]
    finally:
        run.stop()
        run.ending()


def test_an_engine_of_the_agents_own_file_measures(tmp_path: Path) -> None:
    words = ("{host}:{port}", "-c", "{connections}", "-n", "{operations}")
    events = carry_out(catalog_with(tmp_path, f"echo \"$@\" >&2; echo '{REPORT}'", *words), tmp_path, plan())
    summary = events[-1]
    assert isinstance(summary, SummaryEvent)
    measured = summary.phases[0].operations[0]
    assert (measured.count, measured.service_time_ns.p50) == (100, 120_063)
    assert any(isinstance(event, WarningEvent) for event in events)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("head -c 3000 /dev/urandom", "engine_internal"),
        ('echo \'{"elapsed_s": -1, "count": 3}\'', "engine_internal"),
        ('echo \'{"elapsed_s": 1, "count": 5, "histogram_us": {"1": 4}}\'', "engine_internal"),
        ("exit 3", "engine_internal"),
        ("kill -9 $$", "engine_killed"),
        ("head -c 3000000 /dev/zero | tr '\\0' x", "engine_internal"),
        ("yes loadstone", "engine_internal"),
        ("exec 1>&-; exec sleep 100", "engine_killed"),
    ],
)
def test_a_hostile_engine_ends_in_a_coded_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, code: str
) -> None:
    monkeypatch.setattr(tool, "MAX_OUTPUT_BYTES", 20_000_000)
    monkeypatch.setattr(tool, "STOP_TIMEOUT_S", 1.0)
    with pytest.raises(AgentError) as caught:
        carry_out(catalog_with(tmp_path, script), tmp_path, plan())
    assert caught.value.code == code
    assert not processes_with(str(tmp_path))


def test_an_engine_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "IDLE_LIMIT_S", 0.5)
    with pytest.raises(AgentError) as caught:
        carry_out(catalog_with(tmp_path, "sleep 1000"), tmp_path, plan())
    assert caught.value.code == "engine_hung"
    assert not processes_with(str(tmp_path / "program"))


def test_nothing_from_a_plan_becomes_an_option(tmp_path: Path) -> None:
    wanted = plan(dataset={"key_count": 1, "key_prefix": "--x", "value_size": {"kind": "fixed", "bytes": 1}})
    with pytest.raises(BadPlan):
        carry_out(catalog_with(tmp_path, f"echo '{REPORT}'", "{key_prefix}"), tmp_path, wanted)


@pytest.mark.parametrize(
    "command", [["sh", "-c", "x"], ["/bin/sh", "{password}"], ["{host}"]], ids=["relative", "unknown", "place"]
)
def test_a_configuration_that_would_run_anything_is_refused(tmp_path: Path, command: list[str]) -> None:
    entry = {"name": "x", "title": "X", "command": command, "protocols": ["redis"], "operations": ["get"]}
    configuration = tmp_path / "engines.json"
    configuration.write_text(json.dumps({"engines": [entry]}))
    with pytest.raises(BadPlan):
        EngineCatalog(NativeEngine("no-engine"), tmp_path, configuration)


HOLDER = """
import sys, time
from pathlib import Path
from loadstone_agent.engines.tool import Command, Tool
Tool(Command(["/bin/sh", "-c", "setsid -f sleep 1000; sleep 1000 & sleep 1000"]), Path(sys.argv[1]), [], None)
print("started", flush=True)
time.sleep(1000)
"""


def test_an_engine_and_its_children_die_with_the_agent(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, cwd=tmp_path)
    assert holder.stdout is not None
    holder.stdout.readline()

    def sleepers() -> list[int]:
        return [pid for pid in processes_with("sleep 1000") if _cwd(pid) == str(tmp_path)]

    wait_until(lambda: len(sleepers()) >= 3, what="the engine, its child and one that left its session")
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    wait_until(lambda: not sleepers(), what="their end")


def _cwd(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""


PROBE = """
import json, pathlib, socket, sys
def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return f"refused: {error.strerror}"
def connect(port):
    socket.create_connection(("127.0.0.1", port), 2).close()
    return "connected"
secret, own, target, other = sys.argv[1:]
print(json.dumps({
    "secret": attempt(pathlib.Path(secret).read_text),
    "own": attempt(pathlib.Path(own).read_text),
    "outside": attempt(lambda: pathlib.Path(secret + ".planted").write_text("planted")),
    "target": attempt(lambda: connect(int(target))),
    "other": attempt(lambda: connect(int(other))),
    "capabilities": pathlib.Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0],
}), flush=True)
"""


@pytest.mark.skipif(landlock.abi() < landlock.ABI_NETWORK, reason="this kernel's Landlock limits no ports")
def test_a_client_that_its_target_took_over_reaches_that_target_and_nothing_else(tmp_path: Path) -> None:
    """A rogue server can own a client library; what it then gets must not be the agent's token."""
    secret, scratch = tmp_path / "identity.json", tmp_path / "scratch"
    secret.write_text("planted secret")
    scratch.mkdir()
    (scratch / "own").write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as target, socket.create_server(("127.0.0.1", 0)) as other:
        ports = [str(one.getsockname()[1]) for one in (target, other)]
        arguments = [sys.executable, "-c", PROBE, str(secret), "own", *ports]
        reach = Reach(int(ports[0]), [Path(sys.prefix), Path(sys.base_prefix)])
        tool = Tool(Command(arguments), scratch, [], reach)
        lines = [line for line in tool.lines() if line]
        end = tool.end()
    assert end.exit_code == 0, end.log_tail
    seen = json.loads(lines[0])
    assert seen["secret"].startswith("refused")
    assert not Path(f"{secret}.planted").exists()
    assert (seen["own"], seen["target"]) == ("mine", "connected")
    assert seen["other"].startswith("refused")
    assert int(seen["capabilities"], 16) == 0
