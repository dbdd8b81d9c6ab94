"""Whatever goes wrong: one sentence, a stable code, an exit code, and no traceback."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from loadstone_cli.errors import MEANINGS, Exit
from loadstone_cli_testing.calling import CommandLine
from loadstone_testing.callers import Caller
from loadstone_testing.factories import make_token

NOWHERE = "0190a000-0000-7000-8000-000000000000"


@pytest.fixture
def other_site() -> Iterator[str]:
    """A web server that is no Loadstone."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<h1>It works!</h1>"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_service_that_is_away_is_named(loadstone: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_URL", "http://127.0.0.1:1")
    monkeypatch.setattr("loadstone_cli.api.FIRST_PAUSE_S", 0.01)
    said = loadstone("runs", "--json")
    assert (said.code, said.error["code"]) == (3, "unreachable")
    assert "127.0.0.1:1" in said.error["message"]


def test_another_web_site_is_not_taken_for_loadstone(
    loadstone: CommandLine, other_site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOADSTONE_URL", other_site)
    said = loadstone("runs", "--json")
    assert (said.code, said.error["code"]) == (3, "not_loadstone")


def test_a_token_without_the_right_is_refused(
    loadstone: CommandLine, viewer: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOADSTONE_TOKEN", make_token(viewer.principal))
    said = loadstone("agent", "enroll", "--json")
    assert (said.code, said.error["code"]) == (3, "forbidden")


@pytest.mark.parametrize(
    "arguments",
    [
        ("runs", NOWHERE),
        ("runs", "no run of this name"),
        ("run", NOWHERE),
        ("run", "no plan of this name"),
        ("run", "nofile.yaml"),
        ("cancel", NOWHERE),
        ("export", NOWHERE, "--format", "csv"),
        ("import", "nofile.zip"),
        ("plan", "show", "nothing"),
        ("agent", "drain", "nobody"),
    ],
)
def test_what_is_not_there_is_exit_code_5(loadstone: CommandLine, arguments: tuple[str, ...]) -> None:
    said = loadstone(*arguments, "--json")
    assert said.code == 5, said.err
    assert said.error["exit_code"] == 5
    assert said.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("run",),
        ("plan",),
        ("runs", "--limit", "none"),
        ("compare", "one"),
        ("compare", "a", "b", "--fail-on", "everything"),
        ("share", "create"),
        ("run", "x.yaml", "--agent", "a", "--label", "b=c"),
        ("trends", "--label", "nonsense"),
    ],
)
def test_wrong_usage_is_exit_code_2(loadstone: CommandLine, arguments: tuple[str, ...]) -> None:
    said = loadstone(*arguments, "--json")
    assert (said.code, said.error["code"]) == (2, "usage")


def test_the_help_lists_every_exit_code(loadstone: CommandLine) -> None:
    text = " ".join(loadstone.ok("--help").out.split())
    assert [code for code in Exit if f"{code.value} {MEANINGS[code]}" not in text] == []


def test_what_the_service_says_is_never_read_as_markup(loadstone: CommandLine, client: Caller) -> None:
    name = "[red]not[/red] [/bold] markup"
    definition = client.get("/api/v1/recipes").json()["items"][0]["sizes"][0]["definition"]
    client.post("/api/v1/plans", json={"definition": {**definition, "name": name}})
    assert name in loadstone.ok("plan", "list").out


def test_the_program_itself_ends_without_a_traceback(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("loadstone")
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    env.pop("LOADSTONE_TOKEN", None)
    done = subprocess.run([program, "runs"], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: Type `loadstone login URL`")


def test_a_reader_that_has_seen_enough_is_no_fault(api_url: str, client: Caller) -> None:
    program = Path(sys.executable).with_name("loadstone")
    env = {**os.environ, "LOADSTONE_URL": api_url, "LOADSTONE_TOKEN": client.token}
    done = subprocess.run(f"{program} plan schema | head -c 1", shell=True, env=env, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{", "")


def test_the_readme_lists_the_same_exit_codes() -> None:
    text = (Path(__file__).parents[3] / "README.md").read_text().replace("`", "")
    assert [code for code in Exit if f"| {code.value} | {MEANINGS[code]} |" not in text] == []
