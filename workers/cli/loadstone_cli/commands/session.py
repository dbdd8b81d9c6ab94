"""`login`, `logout`, `whoami`."""

import socket
import sys
from typing import Annotated, Any

import httpx2
import typer

from loadstone_cli.api import PREFIX, Api, connect, failure
from loadstone_cli.errors import CommandFailed, Exit, refused
from loadstone_cli.login import Login, forget_login, is_loopback, keep_login, read_login, tidy_url
from loadstone_cli.output import Json, note, print_json, say

app = typer.Typer()


@app.command()
def login(
    url: Annotated[str, typer.Argument(help="The address of the service, e.g. https://loadstone.example.org.")],
    email: Annotated[str | None, typer.Option(help="Sign in with a password instead of a token.")] = None,
    token_stdin: Annotated[bool, typer.Option("--token-stdin", help="Read the token from stdin.")] = False,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read the password from stdin.")] = False,
    as_json: Json = False,
) -> None:
    """Keep an API token for this service, in a file that only you may read.

    With --email a token is made for this machine; `logout` revokes it. Scripts may set LOADSTONE_URL and
    LOADSTONE_TOKEN instead.
    """
    address = tidy_url(url)
    if address.startswith("http://") and not is_loopback(address):
        note(f"warning: {address} is not encrypted; your token can be read on the way.")
    if email is not None:
        made = _make_token(address, email, _secret("Password", password_stdin))
        known = Login(address, made["token"], made["id"])
    else:
        known = Login(address, _secret("API token (from the page Settings, Tokens)", token_stdin))
    with Api(known) as api:
        me = api.get("/me")
    file = keep_login(known)
    if as_json:
        print_json({"url": address, **me})
    else:
        say(f"Signed in to {address} as {me['user']['name']} ({me['role']} of {me['team']['name']}); kept in {file}.")


def _secret(question: str, from_stdin: bool) -> str:
    text = sys.stdin.readline().strip() if from_stdin else typer.prompt(question, hide_input=True, err=True).strip()
    if not text:
        raise refused("usage", "There was nothing on stdin.")
    return str(text)


def _make_token(url: str, email: str, password: str) -> dict[str, Any]:
    """A token of this machine, by a session that ends at once."""
    # The api answers changes with a cookie only to its own pages, and an origin is what shows that.
    headers = {"Origin": url}
    try:
        with httpx2.Client(base_url=url + PREFIX, headers=headers, trust_env=not is_loopback(url)) as browser:
            _checked(browser.post("/session", json={"email": email, "password": password}))
            name = f"loadstone on {socket.gethostname()}"[:100]
            made: dict[str, Any] = _checked(browser.post("/tokens", json={"name": name})).json()
            browser.delete("/session")
    except httpx2.TransportError as fault:
        message = f"{url} does not answer ({fault}): check the address and that the service runs."
        raise CommandFailed(Exit.NO_ACCESS, "unreachable", message) from None
    return made


def _checked(response: httpx2.Response) -> httpx2.Response:
    if response.status_code >= 300:
        raise failure(response)
    return response


@app.command()
def logout(as_json: Json = False) -> None:
    """Forget the token; one that `login --email` made is revoked."""
    revoked = False
    try:
        known = read_login()
        if known.token_id is not None:
            with Api(known) as api:
                api.delete(f"/tokens/{known.token_id}")
            revoked = True
    except CommandFailed as fault:
        if fault.code != "not_signed_in":
            note(f"The token could not be revoked: {fault.message}")
    existed = forget_login()
    if as_json:
        print_json({"forgotten": existed, "revoked": revoked})
    else:
        say("Signed out." if existed else "Nobody was signed in.")


@app.command()
def whoami(as_json: Json = False) -> None:
    """Who we are for the service, and where it is."""
    with connect() as api:
        me = api.get("/me")
        url = api.url
    if as_json:
        print_json({"url": url, **me})
    else:
        say(f"{me['user']['name']} <{me['user']['email']}>, {me['role']} of {me['team']['name']}, on {url}")
