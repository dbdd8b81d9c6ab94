"""Secrets and ports of this installation: generated once, kept in a file of mode 600."""

import base64
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadstone_local.paths import SECRETS_FILE


@dataclass(frozen=True)
class Secrets:
    postgres_password: str
    redis_password: str
    secret_key: str
    """A Fernet key: 32 bytes, URL-safe base64."""
    postgres_port: int
    redis_port: int


def write_private(path: Path, content: dict[str, Any]) -> None:
    """Write JSON that only its owner may read, never half a file."""
    draft = path.with_suffix(".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=2)
    draft.replace(path)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def load_secrets() -> Secrets:
    """The secrets of this installation, made on the first call."""
    if SECRETS_FILE.exists():
        return Secrets(**json.loads(SECRETS_FILE.read_text()))
    made = Secrets(
        postgres_password=secrets.token_urlsafe(24),
        redis_password=secrets.token_urlsafe(24),
        secret_key=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        postgres_port=free_port(),
        redis_port=free_port(),
    )
    write_private(SECRETS_FILE, asdict(made))
    return made
