"""`python -m loadstone.openapi` writes what is generated from the code and checked in.

`backend/openapi.json`, which the front end's client is made from, and `backend/plan.schema.json`, which editors check
plan files with.
"""

import json
from pathlib import Path

from pydantic import SecretStr

from loadstone.main import create_app
from loadstone.plans.service import plan_json_schema
from loadstone.settings import Settings

OPENAPI_FILE = Path(__file__).resolve().parents[1] / "openapi.json"
PLAN_SCHEMA_FILE = OPENAPI_FILE.with_name("plan.schema.json")


def openapi_text() -> str:
    """The document as it is checked in. Needs no server: nothing is connected to."""
    settings = Settings(database_url="postgresql+psycopg:///", broker_url="redis://", secret_keys=SecretStr(""))
    return json.dumps(create_app(settings).openapi(), indent=2, ensure_ascii=False) + "\n"


def plan_schema_text() -> str:
    """The plan's JSON Schema as it is checked in."""
    return json.dumps(plan_json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OPENAPI_FILE.write_text(openapi_text(), encoding="utf-8")
    PLAN_SCHEMA_FILE.write_text(plan_schema_text(), encoding="utf-8")
