"""`unit_of_work()` is the only place that commits: one commit a request or task."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

import psycopg
import structlog
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DataError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from loadstone.db.team_scope import TeamSession, bound_team
from loadstone.errors import InvalidInput
from loadstone.settings import get_settings

log = structlog.get_logger()

DATABASE_AWAY: Final = (OperationalError, InterfaceError, PoolTimeout, psycopg.OperationalError)
"""Raised where the database cannot be reached, ends the connection, or leaves no connection free."""


def is_statement_timeout(error: Exception) -> bool:
    """True where the database itself gave up a statement that took longer than it may."""
    return isinstance(getattr(error, "orig", error), psycopg.errors.QueryCanceled)


class UnitOfWork:
    """A session and what must follow its commit (doorbells, live messages)."""

    def __init__(self, session: TeamSession) -> None:
        self.session = session
        self._after_commit: list[Callable[[], None]] = []

    def bind_team(self, team_id: uuid.UUID) -> None:
        """From now on this unit sees one team only: for what began by finding out which."""
        self.session.restrict(team_id)

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run `action` once the commit stands; its failure is logged, the commit remains."""
        self._after_commit.append(action)

    def run_after_commit(self) -> None:
        for action in self._after_commit:
            try:
                action()
            except Exception:
                log.exception("after_commit_failed")


@cache
def _engine() -> Engine:
    settings = get_settings()
    return create_engine(
        settings.database_url,
        pool_size=settings.database_pool_size,
        max_overflow=settings.database_pool_overflow,
        pool_timeout=settings.database_pool_timeout_s,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": settings.database_connect_timeout_s,
            "options": f"-c statement_timeout={round(settings.database_statement_timeout_s * 1000)}",
        },
    )


@cache
def _autocommitting() -> Engine:
    """The same connections; each statement is a transaction of its own."""
    return _engine().execution_options(isolation_level="AUTOCOMMIT")


def dispose_engine(*, close: bool = False) -> None:
    """The next use opens new connections. After a fork the old ones are the parent's and must not be closed."""
    if _engine.cache_info().currsize:
        _engine().dispose(close=close)
        _engine.cache_clear()
        _autocommitting.cache_clear()


@contextmanager
def unit_of_work(*, every_team: bool = False, statement_by_statement: bool = False) -> Iterator[UnitOfWork]:
    """One transaction: commits at the end, rolls back on any exception.

    `statement_by_statement` is for what every request does before its own work: without BEGIN and COMMIT it takes two
    round trips less, and each of its statements stands by itself.

    It sees the rows of the team that the request is bound to (`team_scope`), or all with `every_team`.
    A value that PostgreSQL cannot store (a NUL in a text, a number beyond its column) raises InvalidInput.
    """
    engine = _autocommitting() if statement_by_statement else _engine()
    with TeamSession(engine, expire_on_commit=False) as session:
        unit = UnitOfWork(session)
        team_id = bound_team()
        if team_id is not None and not every_team:
            unit.bind_team(team_id)
        try:
            with session.begin():
                yield unit
        except DataError as error:
            log.warning("value_refused", error=str(error.orig))
            raise InvalidInput("A number is too large, or a text holds a NUL character.") from error
        unit.run_after_commit()


def is_database_reachable() -> bool:
    """One round trip; a failure is logged."""
    try:
        with _engine().connect() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        log.warning("database_unreachable", error=str(error))
        return False
    return True
