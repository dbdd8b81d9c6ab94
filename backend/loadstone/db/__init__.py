"""The engine, the only commit, and the naming convention."""

from loadstone.db.base import Base
from loadstone.db.team_scope import NO_TEAM, bind_team
from loadstone.db.unit_of_work import UnitOfWork, dispose_engine, is_database_reachable, unit_of_work

__all__ = ["NO_TEAM", "Base", "UnitOfWork", "bind_team", "dispose_engine", "is_database_reachable", "unit_of_work"]
