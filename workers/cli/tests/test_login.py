"""Signing in: the file is private, the environment goes first, and nothing secret is said."""

import json
import stat
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from loadstone.accounts.passwords import hash_password
from loadstone.models import Team
from loadstone_cli_testing.calling import CommandLine
from loadstone_testing.callers import Caller
from loadstone_testing.factories import make_principal

PASSWORD = "correct horse battery staple"


def kept(tmp_path: Path) -> Path:
    return tmp_path / "config/loadstone/login.json"


def test_a_token_is_kept_where_only_the_user_may_read_it(
    signed_out: CommandLine, client: Caller, api_url: str, tmp_path: Path
) -> None:
    said = signed_out.ok("login", api_url + "/", "--token-stdin", stdin=client.token + "\n")
    assert client.principal.user_name in said.out
    assert client.token not in said.out + said.err
    assert stat.S_IMODE(kept(tmp_path).stat().st_mode) == 0o600
    assert signed_out.ok("whoami", "--json").json["url"] == api_url


def test_a_wrong_token_is_not_kept(
    signed_out: CommandLine, anonymous: TestClient, api_url: str, tmp_path: Path
) -> None:
    said = signed_out("login", api_url, "--token-stdin", "--json", stdin="lst_wrong\n")
    assert (said.code, said.error["code"]) == (3, "unauthenticated")
    assert not kept(tmp_path).exists()


def test_a_password_makes_a_token_that_logout_revokes(
    signed_out: CommandLine, anonymous: TestClient, team: Team, api_url: str, tmp_path: Path
) -> None:
    person = make_principal(team, password_hash=hash_password(PASSWORD))
    signed_out.ok("login", api_url, "--email", person.email, "--password-stdin", stdin=PASSWORD + "\n")
    token = json.loads(kept(tmp_path).read_text())["token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert anonymous.get("/api/v1/me", headers=headers).status_code == 200
    assert signed_out.ok("logout", "--json").json == {"forgotten": True, "revoked": True}
    assert anonymous.get("/api/v1/me", headers=headers).status_code == 401
    assert signed_out("runs").code == 3


def test_a_wrong_password_says_so(signed_out: CommandLine, anonymous: TestClient, api_url: str) -> None:
    said = signed_out("login", api_url, "--email", "who@example.org", "--password-stdin", "--json", stdin="no\n")
    assert (said.code, said.error["code"]) == (3, "wrong_credentials")


def test_the_environment_goes_before_the_file(
    signed_out: CommandLine, client: Caller, other_team: Caller, api_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_out.ok("login", api_url, "--token-stdin", stdin=client.token + "\n")
    monkeypatch.setenv("LOADSTONE_TOKEN", other_team.token)
    assert signed_out.ok("whoami", "--json").json["team"]["name"] == "other team"


def test_a_kept_token_is_never_sent_to_another_address(
    signed_out: CommandLine, client: Caller, api_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_out.ok("login", api_url, "--token-stdin", stdin=client.token + "\n")
    monkeypatch.setenv("LOADSTONE_URL", "http://127.0.0.1:1")
    said = signed_out("runs", "--json")
    assert (said.code, said.error["code"]) == (3, "not_signed_in")


def test_a_damaged_file_is_named(signed_out: CommandLine, tmp_path: Path) -> None:
    kept(tmp_path).parent.mkdir(parents=True)
    kept(tmp_path).write_text("{")
    said = signed_out("runs")
    assert said.code == 3
    assert "login.json cannot be read" in said.err


@pytest.mark.parametrize("address", ["loadstone.example.org", "ftp://example.org", "http://"])
def test_what_is_no_address_is_refused(signed_out: CommandLine, address: str) -> None:
    assert signed_out("login", address, "--token-stdin", stdin="lst_x\n").code == 2
