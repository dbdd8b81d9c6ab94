"""Which team's rows a unit of work may see, said in one place for every query.

A request starts with no team; who authenticates it binds one (`bind_team`), and every unit of work opened from then on
reads, changes and writes rows of that team only. Outside of requests (control, the administration, tests) and where
`every_team` is asked for, nothing is bounded. See decisions/0004-one-team-a-unit-of-work.md.
"""

import uuid
from contextvars import ContextVar
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Uuid, bindparam, event, true
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria

from loadstone.db.base import Base

NO_TEAM: Final = uuid.UUID(int=0)
"""Bound where nobody has shown who they are: rows of teams are out of reach."""

_bound: ContextVar[uuid.UUID | None] = ContextVar("bound_team", default=None)


class TeamNotBound(RuntimeError):
    """A mistake in the code: rows of teams were asked for before it was known whose."""


class ForeignRow(RuntimeError):
    """A mistake in the code: a row was about to be written for another team than the one bound."""


def bind_team(team_id: uuid.UUID) -> None:
    """For every unit of work that the current request opens from now on."""
    _bound.set(team_id)


def bound_team() -> uuid.UUID | None:
    """None where nothing is bounded."""
    return _bound.get()


class TeamSession(Session):
    """Unbounded until `restrict`."""

    def restrict(self, team_id: uuid.UUID) -> None:
        self.info["team_id"] = team_id


_executing: ContextVar[uuid.UUID] = ContextVar("executing_team")
# Read when a statement runs, so that one option and one compiled statement serve every team.
_TEAM: BindParameter[uuid.UUID] = bindparam("bound_team", callable_=_executing.get, type_=Uuid())


def _criterion(cls: Any) -> ColumnElement[bool]:
    return cls.team_id == _TEAM if hasattr(cls, "team_id") else true()


_CRITERIA = with_loader_criteria(Base, _criterion, include_aliases=True, track_closure_variables=False)


@event.listens_for(TeamSession, "do_orm_execute")
def _bound_statement(state: ORMExecuteState) -> None:
    team_id = state.session.info.get("team_id")
    if team_id is None or state.is_insert or not state.is_orm_statement:
        return
    if team_id == NO_TEAM and any(hasattr(mapper.class_, "team_id") for mapper in state.all_mappers):
        raise TeamNotBound("Rows of a team were asked for without one. Bind it, or ask for every team by name.")
    _executing.set(team_id)
    state.statement = state.statement.options(_CRITERIA)


@event.listens_for(TeamSession, "before_flush")
def _refuse_foreign_rows(session: Session, _context: object, _instances: object) -> None:
    team_id = session.info.get("team_id")
    if team_id is None:
        return
    for row in (*session.new, *session.dirty):
        if getattr(row, "team_id", team_id) != team_id:
            raise ForeignRow(f"{type(row).__name__} belongs to another team.")
