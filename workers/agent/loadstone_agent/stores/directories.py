"""Folders of stores, and whom they belong to."""

import os
import pwd
from pathlib import Path

from loadstone_agent.errors import StoreStartFailed


def user_ids(name: str) -> tuple[int, int]:
    """-1 means "stay who you are": only root can change. Raises StoreStartFailed for a user that does not exist."""
    if os.geteuid() != 0:
        return -1, -1
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        message = f"The user {name!r} does not exist: create it, or set LOADSTONE_STORE_USER to one that does."
        raise StoreStartFailed(message) from None
    return entry.pw_uid, entry.pw_gid


def give_folder(folder: Path, user: str) -> None:
    """The store's own user keeps its templates there, and nobody else reads them."""
    open_for_passage(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    uid, gid = user_ids(user)
    if uid >= 0:
        os.chown(folder, uid, gid)


def open_for_passage(folder: Path) -> None:
    """Servers of SQL look their data directory up by its whole path, as another user than ours: enter, but not list."""
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o711)
