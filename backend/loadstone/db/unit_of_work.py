"""`unit_of_work()` is the only place that commits: one commit a request or task."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import structlog
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DataError, SQLAlchemyError
from sqlalchemy.orm import Session

from loadstone.errors import InvalidInput
from loadstone.settings import get_settings

log = structlog.get_logger()


class UnitOfWork:
    """A session and what must follow its commit (doorbells, live messages)."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._after_commit: list[Callable[[], None]] = []

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
    return create_engine(get_settings().database_url, pool_size=10, max_overflow=20, pool_pre_ping=True)


def dispose_engine(*, close: bool = False) -> None:
    """The next use opens new connections. After a fork the old ones are the parent's and must not be closed."""
    if _engine.cache_info().currsize:
        _engine().dispose(close=close)
        _engine.cache_clear()


@contextmanager
def unit_of_work() -> Iterator[UnitOfWork]:
    """One transaction: commits at the end, rolls back on any exception.

    A value that PostgreSQL cannot store (a NUL in a text, a number beyond its column) raises InvalidInput.
    """
    with Session(_engine(), expire_on_commit=False) as session:
        unit = UnitOfWork(session)
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
