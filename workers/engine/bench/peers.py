"""Other people's load generators: which there are and where they are found."""

import importlib.util
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from key_value_peers import load_ycsb, mc_crusher, memaslap, memcslap, memtier, redis_benchmark, ycsb
from processes import find_program
from sql_peers import fill_pgbench, fill_sysbench, mysqlslap, pgbench, pymongo, sysbench
from work import Work

YCSB_HOME = "YCSB_HOME"
Build = Callable[[list[str], Work], list[str] | None]


@dataclass(frozen=True)
class Peer:
    """`build` gives the command line for a work, or nothing where the peer cannot do it; `fill` the one before it.

    `note` is what one has to know beside its figures. `share` of the engine's operations do for a slow one; what
    one that `starts_slowly` needs before its first operation is not counted.
    """

    name: str
    remedy: str
    build: Build
    fill: Build | None = None
    programs: tuple[str, ...] = ()
    note: str = ""
    share: float = 1.0
    starts_slowly: bool = False

    def find(self) -> list[str] | None:
        """The words that its command begins with."""
        path = find_program(self.name, *self.programs)
        return [path] if path else None


class Ycsb(Peer):
    def find(self) -> list[str] | None:
        home = os.environ.get(YCSB_HOME)
        return [home] if home and next(Path(home).glob("lib/core-*.jar"), None) and find_program("java") else None


class PyMongo(Peer):
    def find(self) -> list[str] | None:
        return [sys.executable] if importlib.util.find_spec("pymongo") else None


PEERS = (
    Peer("redis-benchmark", "apt-get install redis-tools", redis_benchmark),
    Peer("valkey-benchmark", "apt-get install valkey-tools, or loadstone-agent stores install valkey", redis_benchmark),
    Peer("memtier_benchmark", "build github.com/RedisLabs/memtier_benchmark", memtier),
    Peer("memcslap", "apt-get install libmemcached-tools", memcslap, note="its values are longer"),
    Peer("memaslap", "apt-get install libmemcached-tools", memaslap, programs=("memcaslap",),
         note="it sets keys first, which are counted"),
    Peer("mc-crusher", "build github.com/memcached/mc-crusher", mc_crusher,
         note="it waits for no reply in particular and takes no times"),
    Peer("sysbench", "apt-get install sysbench", sysbench, fill_sysbench),
    Peer("mysqlslap", "apt-get install mariadb-client", mysqlslap),
    Peer("pgbench", "apt-get install postgresql-contrib", pgbench, fill_pgbench),
    Ycsb("ycsb", f"unpack YCSB and name its folder in {YCSB_HOME}; it needs Java", ycsb, load_ycsb,
         share=0.25, starts_slowly=True),
    PyMongo("pymongo", "pip install pymongo", pymongo, starts_slowly=True),
)  # fmt: skip


def find_peers(named: Mapping[str, str]) -> dict[str, list[str]]:
    """The peers of this machine and how their commands begin; `named` are the words of those that a person names.

    Errors: `SystemExit` for a name that is no peer's.
    """
    unknown = named.keys() - {peer.name for peer in PEERS}
    if unknown:
        known = ", ".join(peer.name for peer in PEERS)
        raise SystemExit(f"no peer is called {', '.join(sorted(unknown))}: there are {known}")
    found = {peer.name: shlex.split(named[peer.name]) if peer.name in named else peer.find() for peer in PEERS}
    return {name: words for name, words in found.items() if words}
