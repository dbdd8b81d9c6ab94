"""`loadstone-admin`: what an operator does on the server itself. What a script needs stands on the last line."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from alembic import command
from alembic.config import Config

from loadstone.accounts import api_tokens
from loadstone.accounts import service as accounts
from loadstone.accounts.schemas import CreateApiToken, TokenScope
from loadstone.agents import service as agents
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.errors import AppError
from loadstone.principal import Principal, Role
from loadstone.settings import get_settings
from loadstone.vault import new_key

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Loadstone's administration.", rich_markup_mode=None)

REPOSITORY_MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"

Email = Annotated[str, typer.Option(help="The person's e-mail address.")]


@app.command()
def migrate() -> None:
    """Bring the database to the newest version. Two that run at once do it one after the other."""
    folder = get_settings().migrations_dir or REPOSITORY_MIGRATIONS
    if not (folder / "alembic.ini").exists():
        raise _failed(f"There are no migrations in {folder}. Set LOADSTONE_MIGRATIONS_DIR.")
    command.upgrade(Config(folder / "alembic.ini"), "head")
    typer.echo("The database is up to date.")


@app.command()
def create_account(
    email: Email,
    name: Annotated[str, typer.Option(help="How the person is shown.")],
    team: Annotated[str, typer.Option(help="The team's name; it is made when there is none.")],
    role: Annotated[Role, typer.Option(help="What the person may do in the team.")] = "admin",
    *,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read the password from stdin.")] = False,
    instance_admin: Annotated[bool, typer.Option("--instance-admin", help="Of all teams; the first one is.")] = False,
) -> None:
    """Make an account, or bring an existing one into the team. A generated password is printed once."""
    password = sys.stdin.readline().rstrip("\n") if password_stdin else None
    if password_stdin and not password:
        raise _failed("There was no password on stdin.")
    with unit_of_work() as unit:
        generated = accounts.create_account(unit, email, name, team, role, password, is_instance_admin=instance_admin)
    typer.echo(f"{email} is {role} of {team}.")
    if generated is not None:
        typer.echo("The password, shown this once:")
        typer.echo(generated)


@app.command()
def create_token(
    email: Email,
    name: Annotated[str, typer.Option(help="What the token is for.")] = "command line",
    scope: Annotated[TokenScope | None, typer.Option(help="As much as the person may, where it is not said.")] = None,
) -> None:
    """Print an API token for a person's first team."""
    with unit_of_work() as unit:
        principal = _principal(unit, email)
        created = api_tokens.create_token(unit, principal, CreateApiToken(name=name, scope=scope))
    typer.echo(created.token)


@app.command()
def create_enrollment(email: Email) -> None:
    """Print a token that enrolls one agent into a person's first team within the hour."""
    with unit_of_work() as unit:
        enrollment = agents.create_enrollment(unit, _principal(unit, email))
    typer.echo(enrollment.token)


@app.command()
def generate_secret_key() -> None:
    """Print a new key for LOADSTONE_SECRET_KEYS: put it before the old ones, and keep a copy outside the database."""
    typer.echo(new_key())


def _principal(unit: UnitOfWork, email: str) -> Principal:
    try:
        return accounts.principal_of(unit, email)
    except AppError as error:
        raise _failed(error.detail) from error


def _failed(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(1)


if __name__ == "__main__":
    app()
