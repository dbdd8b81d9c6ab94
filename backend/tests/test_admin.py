"""The operator's commands, run as they are typed."""

import pytest
from cryptography.fernet import Fernet
from fastapi.testclient import TestClient
from loadstone.admin import app
from typer.testing import CliRunner, Result

ACCOUNT = ["create-account", "--email", "Ada@example.org", "--name", "Ada", "--team", "Home"]


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


def sign_in(http: TestClient, password: str) -> int:
    return http.post("/api/v1/session", json={"email": "ada@example.org", "password": password}).status_code


def test_a_generated_password_is_printed_once_and_works(anonymous: TestClient) -> None:
    first = run(*ACCOUNT)
    assert first.exit_code == 0
    password = first.stdout.splitlines()[-1]
    assert sign_in(anonymous, password) == 200
    anonymous.cookies.clear()
    again = run(*ACCOUNT)
    assert again.exit_code == 0
    assert password not in again.stdout
    assert sign_in(anonymous, password) == 200


def test_a_given_password_is_read_from_stdin_and_not_printed(anonymous: TestClient) -> None:
    result = run(*ACCOUNT, "--password-stdin", typed="correct horse\n")
    assert result.exit_code == 0
    assert "correct horse" not in result.stdout
    assert sign_in(anonymous, "correct horse") == 200
    assert run(*ACCOUNT, "--password-stdin", typed="").exit_code == 1


def test_a_token_is_printed_alone_and_opens_the_api(anonymous: TestClient) -> None:
    run(*ACCOUNT)
    token = run("create-token", "--email", "ada@example.org", "--name", "ci").stdout.strip()
    me = anonymous.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).json()
    assert (me["user"]["email"], me["team"]["name"], me["role"]) == ("ada@example.org", "Home", "admin")


def test_an_enrollment_is_printed_alone_and_enrolls(anonymous: TestClient) -> None:
    run(*ACCOUNT)
    token = run("create-enrollment", "--email", "ada@example.org").stdout.strip()
    body = {"enrollment_token": token, "name": "one", "host_key": "host-1", "agent_protocol": 2}
    assert anonymous.post("/agent/v1/enroll", json=body).status_code == 200


@pytest.mark.parametrize("command", ["create-token", "create-enrollment"])
def test_an_unknown_address_is_told(database: str, command: str) -> None:
    result = run(command, "--email", "nobody@example.org")
    assert result.exit_code == 1
    assert "Make the account first" in result.output


def test_migrate_is_repeatable(database: str) -> None:
    for _ in range(2):
        assert run("migrate").exit_code == 0


def test_a_secret_key_is_one() -> None:
    Fernet(run("generate-secret-key").stdout.strip())
