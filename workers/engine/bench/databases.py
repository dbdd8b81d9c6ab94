"""The databases that load engines are measured on: made for one bench in a folder of its own, on the servers' core."""

import importlib.util
import os
import subprocess
import time
from pathlib import Path

from cells import Cell
from processes import find_program
from stores import Server, free_port, unprivileged_user

USER, DATABASE = "me", "test"
# A MySQL that has been unpacked is named by its folder, FerretDB by its program.
MYSQL_FOLDER = "LOADSTONE_BENCH_MYSQL"
FERRETDB = "LOADSTONE_BENCH_FERRETDB"


def _unprivileged(command: list[str]) -> list[str]:
    """Databases refuse to run as root. What a user change forgets is said again: to die with the bench."""
    if os.geteuid() != 0:
        return command
    user = [f"--reuid={unprivileged_user()}", "--regid=nogroup", "--clear-groups", "--pdeathsig", "KILL"]
    return ["setpriv", *user, *command]


def _run(command: list[str]) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: {done.stderr[-500:]}")
    return done.stdout


class MySql(Server):
    """MariaDB, or the MySQL that `LOADSTONE_BENCH_MYSQL` names."""

    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        port, data, self.socket = free_port(), f"--datadir={folder}/data", f"{folder}/db.sock"
        base = os.environ.get(MYSQL_FOLDER)
        fixed = ["--no-defaults", data, f"--tmpdir={folder}"]
        if base:
            server, fixed = f"{base}/bin/mysqld", [*fixed, f"--basedir={base}"]
            _run(_unprivileged([server, *fixed, "--initialize-insecure"]))
            fixed = [*fixed, "--mysqlx=OFF", "--disable-log-bin"]
        else:
            server = find_program("mariadbd") or "mariadbd"
            install = find_program("mariadb-install-db") or "mariadb-install-db"
            _run(_unprivileged([install, *fixed, "--auth-root-authentication-method=normal", "--skip-test-db"]))
        options = [f"--socket={self.socket}", "--bind-address=127.0.0.1", f"--port={port}", "--max-connections=500",
                   "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=256M"]  # fmt: skip
        super().__init__(folder, _unprivileged([server, *fixed, *options]), port)
        self.query(f"CREATE DATABASE {DATABASE}; CREATE USER {USER}@'%'; GRANT ALL ON {DATABASE}.* TO {USER}@'%'")

    @staticmethod
    def missing() -> str | None:
        """What to do where it cannot be started."""
        is_here = (os.environ.get(MYSQL_FOLDER) or find_program("mariadbd")) and find_program("mysql")
        return None if is_here else "apt-get install mariadb-server mariadb-client"

    def url(self, _cell: Cell) -> str:
        return f"mysql://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    def query(self, text: str) -> str:
        client = find_program("mysql") or "mysql"
        for _ in range(100):
            if Path(self.socket).exists():
                break
            time.sleep(0.1)
        return _run([client, "--no-defaults", f"--socket={self.socket}", "-uroot", "-N", "-e", text])

    def count(self, cell: Cell) -> int:
        """Statements of one kind so far, prepared ones among them."""
        name = "Com_replace" if cell.operation == "sql_replace" else "Com_select"
        return int(self.query(f"SHOW GLOBAL STATUS LIKE '{name}'").split()[1])


class Postgres(Server):
    """PostgreSQL that trusts everybody on loopback."""

    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        port, data = free_port(), f"{folder}/data"
        _run(_unprivileged([find_program("initdb") or "initdb", "-U", USER, "--auth=trust", "-N", "-D", data]))
        options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200",
                   "-k", str(folder), "-D", data]  # fmt: skip
        super().__init__(folder, _unprivileged([find_program("postgres") or "postgres", *options]), port)
        self.query(f"CREATE DATABASE {DATABASE}", "postgres")

    @staticmethod
    def missing() -> str | None:
        return None if find_program("initdb") else "apt-get install postgresql"

    def url(self, _cell: Cell) -> str:
        return f"postgres://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    def query(self, text: str, database: str = DATABASE) -> str:
        client = [find_program("psql") or "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d", database]
        for _ in range(100):
            done = subprocess.run([*client, "-At", "-c", text], capture_output=True, text=True)
            if done.returncode == 0:
                return done.stdout
            time.sleep(0.1)
        raise SystemExit(f"psql: {done.stderr[-500:]}")

    def count(self, _cell: Cell) -> int:
        """Transactions so far: each statement is one. Backends report when they end, which all have done by now."""
        time.sleep(0.2)
        return int(self.query(f"SELECT xact_commit FROM pg_stat_database WHERE datname = '{DATABASE}'"))


class FerretDb(Server):
    """FerretDB over SQLite. Its counters are asked for through MongoDB's own driver."""

    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        (folder / "data").mkdir(mode=0o777)
        (folder / "data").chmod(0o777)
        port = free_port()
        program = os.environ.get(FERRETDB) or find_program("ferretdb") or "ferretdb"
        store = f"--sqlite-url=file:{folder}/data/?_pragma=synchronous(OFF)"
        super().__init__(folder, _unprivileged([program, f"--listen-addr=127.0.0.1:{port}", store]), port)

    @staticmethod
    def missing() -> str | None:
        if importlib.util.find_spec("pymongo") is None:
            return "its counters are read through pymongo: pip install pymongo"
        is_here = os.environ.get(FERRETDB) or find_program("ferretdb")
        return None if is_here else f"loadstone-agent stores install ferretdb, and its program's path in {FERRETDB}"

    def url(self, _cell: Cell) -> str:
        return f"mongodb://127.0.0.1:{self.port}/{DATABASE}"

    def count(self, cell: Cell) -> int:
        from pymongo import MongoClient  # noqa: PLC0415 - not everybody who benches Redis has it

        with MongoClient[dict[str, object]](f"mongodb://127.0.0.1:{self.port}/") as client:
            counted = client["admin"].command("serverStatus")["metrics"]["commands"]
        return int(counted.get("find" if cell.operation == "get" else "update", {}).get("total", 0))
