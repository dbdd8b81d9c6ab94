"""The JSON Schema of a plan as people write it: editors complete and check plan files with it."""

from functools import cache
from typing import Any

from loadstone.plans.schemas import PlanDefinition


@cache
def plan_json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12. What depends on the installation (targets, profiles, options) only a preview can say."""
    schema = PlanDefinition.model_json_schema()
    description = "What is measured on what, how hard, how often and in which order."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Loadstone plan",
        "description": description,
    }
