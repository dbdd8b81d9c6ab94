"""What is measured: one kind of work on one store each."""

from dataclasses import dataclass

# All in memory; written over one connection, fewer are sooner there.
DATABASE_KEYS = 20_000


@dataclass(frozen=True)
class Cell:
    """`over_bare` is the most that the engine may cost over the bare loop, `over_peer` over one peer."""

    store: str
    operation: str
    value_bytes: int = 100
    pipeline: int = 1
    keys: int = 1
    protocol: str = ""
    over_bare: float | None = 1.1
    over_peer: tuple[str, float] | None = None
    limit_us: float | None = None
    connections: int = 50
    key_count: int = 100_000
    least_operations: int = 20_000

    @property
    def scheme(self) -> str:
        """The engine's name of the protocol."""
        return self.protocol or self.store

    @property
    def name(self) -> str:
        depth = f".pipeline_{self.pipeline}" if self.pipeline > 1 else ""
        width = f".keys_{self.keys}" if self.keys > 1 else ""
        # A store that is not what its protocol is named after keeps its own name.
        spoken = self.scheme if self.scheme.startswith(self.store) else self.store
        return f"{spoken}.{self.operation}_{self.value_bytes}{depth}{width}"

    @property
    def text(self) -> str:
        what = f"{self.operation} {self.value_bytes} B on {self.store}, {self.connections} connections"
        return f"{what}, pipeline {self.pipeline}, {self.keys} keys a request, client and server on a core each"


def _on_ferretdb(operation: str) -> Cell:
    """FerretDB does some hundred operations a second, and refuses writes that come from many connections at once."""
    return Cell("ferretdb", operation, protocol="mongodb", over_bare=None, over_peer=("pymongo", 0.3), connections=8,
                key_count=2000, least_operations=500)  # fmt: skip


CELLS = (
    *(Cell(store, operation, size)
      for store in ("memcached", "redis") for operation in ("get", "set") for size in (100, 1024)),
    Cell("redis", "get", pipeline=16, over_bare=1.3),
    Cell("redis", "set", pipeline=16, over_bare=1.3),
    Cell("redis", "get", keys=16),
    Cell("memcached", "get", keys=16),
    Cell("memcached", "get", pipeline=16, protocol="memcached_meta"),
    Cell("memcached", "get", pipeline=16, over_bare=None, limit_us=1.6),
    Cell("mysql", "get", over_bare=None, over_peer=("sysbench", 0.5), key_count=DATABASE_KEYS),
    Cell("mysql", "sql_replace", over_bare=None, over_peer=("sysbench", 0.5), key_count=DATABASE_KEYS),
    Cell("postgres", "get", over_bare=None, over_peer=("pgbench", 0.5), key_count=DATABASE_KEYS),
    _on_ferretdb("get"),
    _on_ferretdb("set"),
)  # fmt: skip
