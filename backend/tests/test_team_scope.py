"""A query that forgot its team finds nothing of another team's: for every table that has teams, also future ones."""

import ast
import inspect
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from typing import Any

import loadstone
import pytest
from fastapi.testclient import TestClient
from loadstone.db import Base, UnitOfWork, unit_of_work
from loadstone.db.team_scope import ForeignRow, TeamNotBound, bind_team, bound_team
from loadstone.errors import NotFound
from loadstone.models import Run, Target, Team
from loadstone_testing import factories
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import make_run
from sqlalchemy import Column, delete, func, insert, select, text, update
from sqlalchemy import inspect as inspect_model
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

OWNED = sorted((m.class_ for m in Base.registry.mappers if hasattr(m.class_, "team_id")), key=lambda cls: cls.__name__)
SOURCES = sorted(Path(inspect.getfile(loadstone)).parent.rglob("*.py"))


@pytest.fixture
def home(database: str) -> Team:
    return factories.make_team("home")


@pytest.fixture
def away(database: str) -> Team:
    return factories.make_team("away")


@contextmanager
def rolled_back() -> Iterator[UnitOfWork]:
    with suppress(NotFound), unit_of_work() as unit:
        yield unit
        raise NotFound("On purpose.")


def some_value(column: Column[Any]) -> Any:
    """Anything of the column's type."""
    if isinstance(column.type, JSONB):
        return {}
    values = {str: uuid.uuid4().hex, int: 1, float: 1.0, bool: False, uuid.UUID: uuid.uuid4(), bytes: b""}
    return values.get(column.type.python_type, func.now())


def plant(unit: UnitOfWork, cls: Any, team: Team) -> tuple[Any, ...]:
    """One row of the team's, by its primary key. What it says and refers to does not matter, so nothing is checked."""
    table = cls.__table__
    unit.session.execute(text("SET LOCAL session_replication_role = replica"))
    for constraint in table.constraints:
        if hasattr(constraint, "sqltext"):
            unit.session.execute(text(f'ALTER TABLE "{table.name}" DROP CONSTRAINT "{constraint.name}"'))
    needed = [c for c in table.columns if not (c.nullable or c.server_default is not None or c.identity or c.computed)]
    values = {column.name: some_value(column) for column in needed} | {"team_id": team.id}
    return tuple(unit.session.connection().execute(insert(table).values(values)).inserted_primary_key or ())


def test_tables_of_teams_are_found() -> None:
    assert {"Run", "Target", "Plan", "ApiToken", "AuditEntry"} <= {cls.__name__ for cls in OWNED}


@pytest.mark.parametrize("cls", OWNED, ids=lambda cls: cls.__name__)
def test_a_query_that_forgot_its_team_finds_nothing_foreign(cls: Any, home: Team, away: Team) -> None:
    mapper = inspect_model(cls)
    key = mapper.get_property_by_column(mapper.primary_key[0]).class_attribute
    other = aliased(cls)
    count = func.count()
    with rolled_back() as unit:
        planted = plant(unit, cls, home)
        read = unit.session
        for team, seen in ((home, 1), (away, 0), (home, 1)):
            unit.bind_team(team.id)
            assert read.scalar(select(count).select_from(cls)) == seen
            assert read.scalar(select(count).select_from(other)) == seen
            assert read.scalar(select(count).select_from(select(cls.team_id).subquery())) == seen
            assert read.scalar(select(count).select_from(select(cls.team_id).cte())) == seen
            assert read.scalar(select(count).select_from(Team).where(Team.id.in_(select(cls.team_id)))) == seen
            assert read.scalar(select(count).select_from(Team).join(cls, cls.team_id == Team.id)) == seen
            assert len(read.execute(select(key)).all()) == seen
        unit.bind_team(away.id)
        assert read.get(cls, planted) is None
        assert read.scalars(select(cls)).all() == []
        assert read.execute(update(cls).values({key.key: key})).rowcount == 0  # type: ignore[attr-defined]
        assert read.execute(delete(cls)).rowcount == 0  # type: ignore[attr-defined]
        unit.bind_team(home.id)
        assert read.execute(delete(cls)).rowcount == 1  # type: ignore[attr-defined]


def test_before_anyone_has_signed_in_rows_of_teams_are_out_of_reach(home: Team, running_app: TestClient) -> None:
    def ask() -> None:
        bind_team(uuid.UUID(int=0))
        with pytest.raises(TeamNotBound), unit_of_work() as unit:
            unit.session.scalars(select(Run)).all()
        with unit_of_work() as unit:
            assert unit.session.scalars(select(Team).where(Team.id.in_(select(Run.team_id)))).all() == []
        with unit_of_work(every_team=True) as unit:
            assert unit.session.scalars(select(Run)).all() == []

    copy_context().run(ask)
    assert bound_team() is None


def test_nothing_is_written_for_another_team(home: Team, away: Team) -> None:
    with rolled_back() as unit:
        unit.bind_team(home.id)
        unit.session.add(Target(team_id=away.id, name="x", kind="redis", mode="managed"))
        with pytest.raises(ForeignRow):
            unit.session.flush()
        unit.session.expunge_all()


def test_a_request_binds_its_own_team_and_no_other_requests(client: Caller, other_team: Caller) -> None:
    make_run(client.principal)
    make_run(other_team.principal)
    for caller in (client, other_team, client):
        names = [item["created_by"]["name"] for item in caller.get("/api/v1/runs").json()["items"]]
        assert names == [caller.principal.user_name]
    assert bound_team() is None


def unbounded_statements(source: Path) -> list[str]:
    """Plain SQL that reads a team's table without naming the team."""
    calls = [node for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Call)]
    texts = [ast.unparse(node) for node in calls if ast.unparse(node.func).split(".")[-1] in ("text", "execute_sql")]
    tables = {cls.__tablename__ for cls in OWNED}
    return [sql for sql in texts if tables & set(re.findall(r"\w+", sql)) and "team_id" not in sql]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sql_that_passes_the_bound_by_names_the_team_itself(source: Path) -> None:
    """Statements in plain text and on bare tables are not bounded by themselves."""
    assert unbounded_statements(source) == []
    assert "__table__" not in source.read_text() or source.parent.name == "models"


def test_plain_sql_without_a_team_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "repository.py"
    source.write_text('text("SELECT id FROM runs")\ntext("SELECT id FROM runs WHERE team_id = :team_id")\n')
    assert len(unbounded_statements(source)) == 1
