"""Rows and bodies for tests, by domain. Everything can be overridden by name."""

import itertools
from typing import Any

from fastapi.testclient import TestClient
from loadstone.db import unit_of_work
from loadstone.models import ApiToken, Membership, Team, User
from loadstone.principal import Principal, Role
from loadstone.tokens import new_token, token_hash

from loadstone_testing.callers import Caller

_numbers = itertools.count(1)


def make_team(name: str | None = None) -> Team:
    with unit_of_work() as unit:
        team = Team(name=name or f"team {next(_numbers)}")
        unit.session.add(team)
    return team


def make_principal(team: Team, role: Role = "admin", **columns: Any) -> Principal:
    number = next(_numbers)
    values = {"email": f"person{number}@example.org", "name": f"Person {number}", "password_hash": "!"} | columns
    with unit_of_work() as unit:
        user = User(**values)
        unit.session.add(user)
        unit.session.flush()
        unit.session.add(Membership(team_id=team.id, user_id=user.id, role=role))
    return Principal(
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        team_id=team.id,
        team_name=team.name,
        role=role,
    )


def make_token(principal: Principal, **columns: Any) -> str:
    token = new_token("lst_")
    values = {"name": "test", "token_hash": token_hash(token)} | columns
    with unit_of_work() as unit:
        unit.session.add(ApiToken(team_id=principal.team_id, user_id=principal.user_id, **values))
    return token


def make_caller(http: TestClient, team: Team, role: Role = "admin") -> Caller:
    principal = make_principal(team, role)
    return Caller(http, principal, make_token(principal))
