"""Declarative base, column types and the naming convention of constraints."""

import uuid
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import BigInteger, DateTime, MetaData, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from uuid_utils.compat import uuid7

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB,
        list[Any]: JSONB,
        uuid.UUID: Uuid,
    }


class Identified:
    """A UUIDv7 id: unique across installations and ordered by time, so it pages by key."""

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid7)


BigInt = BigInteger
