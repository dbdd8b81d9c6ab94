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


def make_caller(http: TestClient, team: Team, role: Role = "admin", **columns: Any) -> Caller:
    principal = make_principal(team, role, **columns)
    return Caller(http, principal, make_token(principal))


def managed_target(**fields: Any) -> dict[str, Any]:
    """A body for `POST /targets`."""
    return {"name": "a store", "kind": "memcached", "mode": "managed", "profile": "default"} | fields


def external_target(**fields: Any) -> dict[str, Any]:
    return {"name": "far away", "kind": "redis", "mode": "external", "host": "10.0.0.7", "port": 6379} | fields


def workload_definition(**fields: Any) -> dict[str, Any]:
    return {
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 9}, {"kind": "set", "weight": 1}],
    } | fields


def plan_definition(**fields: Any) -> dict[str, Any]:
    """memcached and Redis on 1 and 4 connections, two trials each: 4 points, 8 trials, no faults."""
    return {
        "name": "a plan",
        "targets": [{"kind": "memcached", "profile": "default"}, {"kind": "redis", "profile": "none"}],
        "workload": workload_definition(),
        "load": {"kind": "closed", "connections": 1},
        "axes": [{"parameter": "connections", "values": [1, 4]}],
        "trials_per_point": 2,
        "stop": {"seconds": 1},
    } | fields
