"""What visitors are not told: people's names, wherever they stand. Pure."""

from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)

PEOPLE = frozenset({"created_by", "changed_by", "undone_by", "author", "owner"})


def without_people(model: Model) -> Model:
    """A copy in which nobody is named, at any depth."""
    return model.model_copy(update={name: _cleaned(name, value) for name, value in model})


def _cleaned(name: str, value: Any) -> Any:
    if name in PEOPLE:
        return None
    if isinstance(value, BaseModel):
        return without_people(value)
    if isinstance(value, list):
        return [_cleaned("", one) for one in value]
    return value
