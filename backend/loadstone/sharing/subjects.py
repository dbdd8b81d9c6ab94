"""What a link shows, and which ids may be reached through it."""

import uuid
from dataclasses import dataclass

from loadstone.db import UnitOfWork
from loadstone.models import Share
from loadstone.principal import Principal
from loadstone.runs import service as runs
from loadstone.sharing import schemas


@dataclass(frozen=True)
class Subject:
    """`id` is null where nothing was saved under one."""

    id: uuid.UUID | None
    name: str


@dataclass(frozen=True)
class Reach:
    """The ids that a link opens. Everything else is not there for its visitors."""

    run_ids: frozenset[uuid.UUID] = frozenset()


def resolve(unit: UnitOfWork, principal: Principal, wanted: schemas.CreateShare) -> Subject:
    """Raises NotFound when the principal's team has no such thing."""
    run = runs.find_run(unit, principal, wanted.subject.run_id)
    return Subject(run.id, run.name)


def reach(share: Share) -> Reach:
    return Reach(run_ids=frozenset([uuid.UUID(share.subject["run_id"])]))
