"""`python -m loadstone.openapi` writes `backend/openapi.json`, which the front end's client is generated from."""

import json
from pathlib import Path

from pydantic import SecretStr

from loadstone.main import create_app
from loadstone.settings import Settings

OPENAPI_FILE = Path(__file__).resolve().parents[1] / "openapi.json"


def openapi_text() -> str:
    """The document as it is checked in. Needs no server: nothing is connected to."""
    settings = Settings(database_url="postgresql+psycopg:///", broker_url="redis://", secret_keys=SecretStr(""))
    return json.dumps(create_app(settings).openapi(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OPENAPI_FILE.write_text(openapi_text(), encoding="utf-8")
