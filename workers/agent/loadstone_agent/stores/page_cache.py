"""Files of a store out of the page cache, so that reads come from the disk."""

import os
import stat
from contextlib import suppress
from pathlib import Path

DROP_CACHES = Path("/proc/sys/vm/drop_caches")
PAGE_CACHE = "1"


def drop_page_cache(directory: Path) -> str:
    """What was written is forced to disk first: only clean pages can go. Returns how it was done.

    Pages that a process has mapped stay, and so does what the store holds in memory of its own.
    """
    for path in directory.rglob("*"):
        # A store may remove a file at any moment.
        with suppress(OSError):
            if path.is_file():
                _forget(path)
    if os.access(DROP_CACHES, os.W_OK):
        DROP_CACHES.write_text(PAGE_CACHE)
        return "drop_caches"
    return "posix_fadvise"


def _forget(path: Path) -> None:
    # A store that was taken over may put a pipe in a file's place: nothing waits for its other end.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
