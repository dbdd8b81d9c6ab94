"""What the agent asks of a keeper, sent on the keeper's stdin: secrets never stand on a command line."""

import marshal
import os

HEAD_BYTES = 4


class Order:
    """Everything one store is started with. Plain fields, because `dataclasses` costs the keeper milliseconds."""

    def __init__(
        self,
        *,
        directory: str,
        user: tuple[int, int],
        command: list[str],
        prepare: str = "",
        template: str = "",
        private_files: dict[str, str] | None = None,
        cpus: list[int] | None = None,
        open_files: int = 1024,
        processes_max: int = 0,
        groups: list[str] | None = None,
        is_confined: bool = True,
        readable: list[str] | None = None,
        writable: list[str] | None = None,
        ports: list[int] | None = None,
    ) -> None:
        self.directory = directory
        self.user = user
        """Ids of user and group; -1 means the keeper's own."""
        self.command = command
        self.prepare = prepare
        """A shell script that makes the data directory, run as the store's user; empty where none is needed."""
        self.template = template
        """Where the result of `prepare` is kept and copied from; empty to prepare at each start."""
        self.private_files = private_files or {}
        """Written into the data directory with mode 0600 before the first start."""
        self.cpus = cpus or []
        self.open_files = open_files
        self.processes_max = processes_max
        """How many the store may start, where no control group keeps count; 0 where one does."""
        self.groups = groups or []
        """Folders of control groups that the store joins."""
        self.is_confined = is_confined
        """Whether Landlock limits files and ports to the ones below."""
        self.readable = readable or []
        self.writable = writable or []
        self.ports = ports or []
        """TCP ports the store may listen on. It may connect to none."""

    def pack(self) -> bytes:
        """Both ends run the same interpreter, so marshal is safe, and it needs no import that takes time."""
        body = marshal.dumps(self.__dict__)
        return len(body).to_bytes(HEAD_BYTES, "big") + body


def read_order(descriptor: int) -> Order:
    """Blocks until the whole order has arrived. Raises EOFError when the agent died first."""
    length = int.from_bytes(_read_exactly(descriptor, HEAD_BYTES), "big")
    return Order(**marshal.loads(_read_exactly(descriptor, length)))  # noqa: S302 - from our own parent only


def _read_exactly(descriptor: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(descriptor, count - len(data))
        if not part:
            raise EOFError("the agent closed the pipe in the middle of an order")
        data += part
    return data
