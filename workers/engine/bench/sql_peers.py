"""How the load generators of databases are told to do the work of a cell."""

from pathlib import Path

from databases import DATABASE, USER
from work import Work

HERE = Path(__file__).parent


def sysbench(program: list[str], work: Work) -> list[str] | None:
    if work.cell.store != "mysql":
        return None
    script = "oltp_point_select" if work.cell.operation == "get" else str(HERE / "replace.lua")
    return [*program, script, *_sysbench(work), f"--threads={work.cell.connections}", f"--events={work.operations}",
            "--time=0", "run"]  # fmt: skip


def fill_sysbench(program: list[str], work: Work) -> list[str] | None:
    """Its own table, which `oltp_point_select` reads; replaces go to the engine's."""
    is_wanted = work.cell.store == "mysql" and work.cell.operation == "get"
    return [*program, "oltp_point_select", *_sysbench(work), "prepare"] if is_wanted else None


def _sysbench(work: Work) -> list[str]:
    return ["--db-driver=mysql", "--mysql-host=127.0.0.1", f"--mysql-port={work.server.port}", f"--mysql-user={USER}",
            f"--mysql-db={DATABASE}", f"--table-size={work.cell.key_count}"]  # fmt: skip


def mysqlslap(program: list[str], work: Work) -> list[str] | None:
    """One statement as text, again and again."""
    if work.cell.store != "mysql":
        return None
    value = "x" * work.cell.value_bytes
    statements = {"get": "SELECT v FROM loadstone WHERE k = 'k000000000000042'",
                  "sql_replace": f"REPLACE INTO loadstone (k, v) VALUES ('k000000000000042', '{value}')"}  # fmt: skip
    return [*program, "--no-defaults", "--protocol=tcp", "--host=127.0.0.1", f"--port={work.server.port}",
            f"--user={USER}", f"--create-schema={DATABASE}", "--no-drop", f"--concurrency={work.cell.connections}",
            f"--number-of-queries={work.operations}", f"--query={statements[work.cell.operation]}"]  # fmt: skip


def pgbench(program: list[str], work: Work) -> list[str] | None:
    if work.cell.store != "postgres":
        return None
    return [*program, *_pgbench(work), "-n", "-S", "-M", "prepared", "-j", "1", "-c", str(work.cell.connections),
            "-t", str(work.each), DATABASE]  # fmt: skip


def fill_pgbench(program: list[str], work: Work) -> list[str] | None:
    """Its own tables: 100,000 accounts."""
    return [*program, *_pgbench(work), "-i", "-q", "-s", "1", DATABASE] if work.cell.store == "postgres" else None


def _pgbench(work: Work) -> list[str]:
    return ["-h", "127.0.0.1", "-p", str(work.server.port), "-U", USER]


def pymongo(program: list[str], work: Work) -> list[str] | None:
    """One connection: threads of Python would only wait for each other."""
    cell = work.cell
    if cell.scheme != "mongodb":
        return None
    return [*program, str(HERE / "pymongo_client.py"), f"mongodb://{work.address}/", cell.operation,
            str(work.operations), str(cell.key_count), str(cell.value_bytes)]  # fmt: skip
