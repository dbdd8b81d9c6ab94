"""Other people's load generators: how each is told to do the work of a cell."""

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cells import CONNECTIONS, Cell
from databases import DATABASE, USER, MySql, find_program
from stores import KEY_COUNT, Server

HERE = Path(__file__).parent
MC_CRUSHER_SECONDS = 2


@dataclass(frozen=True)
class Peer:
    """`build` gives the command line for so many operations, or nothing where the peer cannot do the cell."""

    name: str
    package: str
    build: Callable[[str, Cell, Server, int], list[str] | None]
    program: str = ""

    def find(self) -> str | None:
        return find_program(self.program or self.name)


def _redis_benchmark(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    if cell.store != "redis" or cell.keys > 1:
        return None
    shape = ["-c", str(CONNECTIONS), "-n", str(operations), "-r", str(KEY_COUNT), "-d", str(cell.value_bytes)]
    what = ["-t", cell.operation, "-P", str(cell.pipeline), "-q"]
    return [program, "-h", "127.0.0.1", "-p", str(server.port), *shape, *what]


def _memtier(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    protocol = {"memcached": "memcache_text", "redis": "redis"}.get(cell.store)
    if protocol is None or cell.keys > 1:
        return None
    ratio = "1:0" if cell.operation == "set" else "0:1"
    return [
        program, "-s", "127.0.0.1", "-p", str(server.port), "-P", protocol, "-t", "1", "-c", str(CONNECTIONS),
        "-n", str(operations // CONNECTIONS), "--ratio", ratio, "-d", str(cell.value_bytes),
        f"--pipeline={cell.pipeline}", f"--key-maximum={KEY_COUNT}", "--hide-histogram",
    ]  # fmt: skip


def _memcslap(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    if cell.store != "memcached" or cell.pipeline > 1 or cell.keys > 1:
        return None
    return [program, "-s", f"127.0.0.1:{server.port}", f"--concurrency={CONNECTIONS}",
            f"--execute-number={operations // CONNECTIONS}", f"--test={cell.operation}", "--tcp-nodelay"]  # fmt: skip


def _memaslap(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    if cell.store != "memcached" or cell.pipeline > 1:
        return None
    sets = 1.0 if cell.operation == "set" else 0.0
    size = cell.value_bytes
    text = f"key\n16 16 1\nvalue\n{size} {size} 1\ncmd\n0 {sets}\n1 {1 - sets}\n"
    depth = [f"--division={cell.keys}"] if cell.keys > 1 else []
    return [program, "-s", f"127.0.0.1:{server.port}", "-T", "1", "-c", str(CONNECTIONS), "-x", str(operations),
            "-F", _written("memaslap", text), *depth]  # fmt: skip


def _mc_crusher(program: str, cell: Cell, server: Server, _operations: int) -> list[str] | None:
    """It runs for a time and counts nothing: the server's count is what there is."""
    sends = {("get", 1): "ascii_get", ("set", 1): "ascii_set", ("get", 16): "ascii_mget"}
    send = sends.get((cell.operation, cell.keys))
    if cell.store != "memcached" or cell.pipeline > 1 or send is None:
        return None
    wide = f",mget_count={cell.keys}" if cell.keys > 1 else ""
    text = (f"send={send},recv=blind_read,conns={CONNECTIONS},key_prefix=k,key_count={KEY_COUNT},"
            f"value_size={cell.value_bytes}{wide}\n")  # fmt: skip
    return [program, "--conf", _written("mc-crusher", text), "--ip", "127.0.0.1", "--port", str(server.port),
            "--timeout", str(MC_CRUSHER_SECONDS)]  # fmt: skip


def _sysbench(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    if not isinstance(server, MySql):
        return None
    script = "oltp_point_select" if cell.operation == "get" else str(HERE / "replace.lua")
    return [program, script, "--db-driver=mysql", "--mysql-host=127.0.0.1", f"--mysql-port={server.port}",
            f"--mysql-user={USER}", f"--mysql-db={DATABASE}", f"--table-size={KEY_COUNT}", f"--threads={CONNECTIONS}",
            f"--events={operations}", "--time=0", "run"]  # fmt: skip


def prepare_sysbench(program: str, server: Server) -> list[str]:
    """Its own table, which `oltp_point_select` reads."""
    return [program, "oltp_point_select", "--db-driver=mysql", "--mysql-host=127.0.0.1", f"--mysql-port={server.port}",
            f"--mysql-user={USER}", f"--mysql-db={DATABASE}", f"--table-size={KEY_COUNT}", "prepare"]  # fmt: skip


def _mysqlslap(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    if not isinstance(server, MySql):
        return None
    value = "x" * cell.value_bytes
    statements = {"get": "SELECT v FROM loadstone WHERE k = 'k000000000000042'",
                  "sql_replace": f"REPLACE INTO loadstone (k, v) VALUES ('k000000000000042', '{value}')"}  # fmt: skip
    return [program, "--no-defaults", "--protocol=tcp", "--host=127.0.0.1", f"--port={server.port}", f"--user={USER}",
            f"--create-schema={DATABASE}", "--no-drop", f"--concurrency={CONNECTIONS}",
            f"--number-of-queries={operations}", f"--query={statements[cell.operation]}"]  # fmt: skip


def _pgbench(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    if cell.store != "postgres":
        return None
    return [program, "-h", "127.0.0.1", "-p", str(server.port), "-U", USER, "-n", "-S", "-M", "prepared", "-j", "1",
            "-c", str(CONNECTIONS), "-t", str(operations // CONNECTIONS), DATABASE]  # fmt: skip


def prepare_pgbench(program: str, server: Server) -> list[str]:
    """Its own tables: 100,000 accounts."""
    return [program, "-h", "127.0.0.1", "-p", str(server.port), "-U", USER, "-i", "-q", "-s", "1", DATABASE]


def _pymongo(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    """One connection: threads of Python would only wait for each other."""
    if cell.store != "mongodb":
        return None
    url = f"mongodb://127.0.0.1:{server.port}/"
    return [program, str(HERE / "pymongo_client.py"), url, str(operations), str(KEY_COUNT)]


def _ycsb(program: str, cell: Cell, server: Server, operations: int) -> list[str] | None:
    bindings = {
        "memcached": ["memcached", "-p", f"memcached.hosts=127.0.0.1:{server.port}"],
        "redis": ["redis", "-p", "redis.host=127.0.0.1", "-p", f"redis.port={server.port}"],
        "mongodb": ["mongodb", "-p", f"mongodb.url=mongodb://127.0.0.1:{server.port}/ycsb"],
    }
    if cell.store not in bindings or cell.operation != "get" or cell.pipeline > 1 or cell.keys > 1:
        return None
    work = ["-p", "workload=site.ycsb.workloads.CoreWorkload", "-p", "readproportion=1", "-p", "updateproportion=0",
            "-p", f"recordcount={KEY_COUNT}", "-p", f"operationcount={operations}", "-p", "fieldcount=1",
            "-p", f"fieldlength={cell.value_bytes}"]  # fmt: skip
    return [program, "run", *bindings[cell.store], "-threads", str(CONNECTIONS), *work]


def _written(name: str, text: str) -> str:
    path = Path(tempfile.gettempdir()) / f"loadstone-bench-{name}-{os.getpid()}.conf"
    path.write_text(text)
    return str(path)


PEERS = (
    Peer("redis-benchmark", "apt-get install redis-tools", _redis_benchmark),
    Peer("valkey-benchmark", "apt-get install valkey-tools", _redis_benchmark),
    Peer("memtier_benchmark", "github.com/RedisLabs/memtier_benchmark", _memtier),
    Peer("memcslap", "apt-get install libmemcached-tools", _memcslap),
    Peer("memaslap", "libmemcached built with --enable-memaslap", _memaslap),
    Peer("mc-crusher", "github.com/memcached/mc-crusher", _mc_crusher),
    Peer("sysbench", "apt-get install sysbench", _sysbench),
    Peer("mysqlslap", "apt-get install mariadb-client", _mysqlslap),
    Peer("pgbench", "apt-get install postgresql-contrib", _pgbench),
    Peer("ycsb", "github.com/brianfrankcooper/YCSB", _ycsb),
    Peer("pymongo", "pip install pymongo", _pymongo, program=sys.executable),
)


def has_pymongo() -> bool:
    return importlib.util.find_spec("pymongo") is not None


def find_peers() -> dict[str, str]:
    """The peers of this machine and where they are."""
    found = {peer.name: place for peer in PEERS if (place := peer.find())}
    if not has_pymongo():
        found.pop("pymongo", None)
    return {name: shutil.which(place) or place for name, place in found.items()}
