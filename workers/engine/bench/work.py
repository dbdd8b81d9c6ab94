"""What one client is asked to do."""

from dataclasses import dataclass
from pathlib import Path

from cells import Cell
from stores import Server


@dataclass(frozen=True)
class Work:
    """So many operations of a cell on a server; every key of a request is one. `folder` is for what a client reads."""

    cell: Cell
    server: Server
    operations: int
    folder: Path

    @property
    def each(self) -> int:
        """Operations of one connection."""
        return max(self.operations // self.cell.connections, 1)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def write(self, name: str, text: str) -> str:
        """The path of a file with that text."""
        path = self.folder / name
        path.write_text(text)
        return str(path)
