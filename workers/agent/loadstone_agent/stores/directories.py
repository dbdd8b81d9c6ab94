"""Folders of stores, and whom they belong to."""

import os
import pwd
from pathlib import Path

import structlog

from loadstone_agent.errors import StoreStartFailed
from loadstone_agent.keeper.directory import wipe

log = structlog.get_logger()


def user_ids(name: str) -> tuple[int, int]:
    """-1 means "stay who you are": only root can change. Raises StoreStartFailed for root and for an unknown user."""
    if os.geteuid() != 0:
        return -1, -1
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        message = f"The user {name!r} does not exist: create it, or set LOADSTONE_STORE_USER to one that does."
        raise StoreStartFailed(message) from None
    if entry.pw_uid == 0:
        message = "Managed stores never run as root: set LOADSTONE_STORE_USER to an ordinary user of its own."
        raise StoreStartFailed(message)
    return entry.pw_uid, entry.pw_gid


def make_closed_folder(folder: Path) -> None:
    """For the agent alone: a store can neither read nor write it."""
    open_for_passage(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(folder, 0, 0)
    folder.chmod(0o700)


def wipe_quietly(folder: Path) -> None:
    """What can't be removed is left for the next sweep, and said in the log."""
    try:
        wipe(str(folder))
    except OSError as error:
        log.warning("folder_left", folder=str(folder), error=str(error))


def open_for_passage(folder: Path) -> None:
    """Servers of SQL look their data directory up by its whole path, as another user than ours: enter, but not list."""
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o711)
