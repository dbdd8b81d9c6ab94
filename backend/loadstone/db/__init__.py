"""The engine, the only commit, and the naming convention."""

from loadstone.db.base import Base
from loadstone.db.team_scope import NO_TEAM, bind_team
from loadstone.db.unit_of_work import (
    DATABASE_AWAY,
    UnitOfWork,
    dispose_engine,
    is_database_reachable,
    is_statement_timeout,
    unit_of_work,
)

__all__ = [
    "DATABASE_AWAY",
    "NO_TEAM",
    "Base",
    "UnitOfWork",
    "bind_team",
    "dispose_engine",
    "is_database_reachable",
    "is_statement_timeout",
    "unit_of_work",
]
