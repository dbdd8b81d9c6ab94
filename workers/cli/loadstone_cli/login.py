"""Where the service is and who we are there: from the environment, or from a file only the user may read."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from loadstone_cli.errors import CommandFailed, Exit, refused

ENV_URL = "LOADSTONE_URL"
ENV_TOKEN = "LOADSTONE_TOKEN"  # noqa: S105 - the variable's name


@dataclass(frozen=True)
class Login:
    url: str
    token: str
    token_id: str | None = None
    """Of a token that `login` made, and `logout` revokes."""


def login_file() -> Path:
    return Path(platformdirs.user_config_dir("loadstone")) / "login.json"


def tidy_url(url: str) -> str:
    """Without a slash at the end. Errors: `CommandFailed` for what is no http address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise refused("not_an_address", f"{url!r} is no address. Write it like https://loadstone.example.org.")
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "localhost" or host == "::1" or host.startswith("127.")


def read_login() -> Login:
    """The environment goes before the file. Errors: `CommandFailed` when neither says enough."""
    kept = _read_file()
    url = os.environ.get(ENV_URL) or (kept.url if kept else None)
    # A token goes only to the address that it was kept for.
    kept_token = kept.token if kept and url == kept.url else None
    token = os.environ.get(ENV_TOKEN) or kept_token
    if not url or not token:
        raise CommandFailed(
            Exit.NO_ACCESS, "not_signed_in", f"Type `loadstone login URL`, or set {ENV_URL} and {ENV_TOKEN}."
        )
    return Login(tidy_url(url), token, kept.token_id if kept and kept_token == token else None)


def _read_file() -> Login | None:
    file = login_file()
    try:
        return Login(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as fault:
        raise CommandFailed(
            Exit.NO_ACCESS, "login_unreadable", f"{file} cannot be read ({fault}). Type `loadstone login URL` again."
        ) from None


def keep_login(login: Login) -> Path:
    """Mode 0600 from its first byte on."""
    file = login_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        json.dump(asdict(login), out)
    fresh.replace(file)
    return file


def forget_login() -> bool:
    """Whether there was one."""
    file = login_file()
    existed = file.exists()
    file.unlink(missing_ok=True)
    return existed
