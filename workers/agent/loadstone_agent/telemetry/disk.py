"""How much a store has written to its data directory."""

import os
from contextlib import suppress
from pathlib import Path

from loadstone_agent.telemetry.budget import Budget

DISK_SHARE = 0.002
"""Of one core: a directory of thousands of tables is looked at less often than once a second."""
MOST_ENTRIES = 100_000
BLOCK_BYTES = 512


class DiskMeter:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._budget = Budget(DISK_SHARE)

    def read(self, thorough: bool) -> int | None:
        """Allocated bytes of all files below; None when it is not time, or there are too many to look at."""
        if not thorough and not self._budget.allows():
            return None
        with self._budget.spending():
            return allocated_bytes(self._directory)


def allocated_bytes(directory: Path) -> int | None:
    """What the files take up on disk: a sparse file less than its length. None over `MOST_ENTRIES`."""
    if not directory.is_dir():
        return None
    total = entries = 0
    folders = [str(directory)]
    while folders:
        # Files come and go meanwhile: a log that is rewritten, a table that is dropped.
        with suppress(OSError), os.scandir(folders.pop()) as found:
            for entry in found:
                entries += 1
                if entries > MOST_ENTRIES:
                    return None
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * BLOCK_BYTES
    return total
