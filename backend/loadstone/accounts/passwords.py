"""argon2id. One hash takes about 0.2 s and 64 MiB, so only a few run at once."""

import threading
from functools import cache

from pwdlib import PasswordHash

_hasher = PasswordHash.recommended()
_slots = threading.BoundedSemaphore(4)


def hash_password(password: str) -> str:
    with _slots:
        return _hasher.hash(password)


def is_password_right(password: str, password_hash: str | None) -> bool:
    """False for an unknown person (`password_hash` is None), after the same work as for a known one."""
    with _slots:
        is_right = _hasher.verify(password, password_hash or _nobodys_hash())
    return is_right and password_hash is not None


@cache
def _nobodys_hash() -> str:
    return _hasher.hash("nobody has this password")
