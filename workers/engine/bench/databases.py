"""The databases that load engines are measured on: made for one bench in a folder of its own, on the servers' core."""

import os
import shutil
import subprocess
import time
from abc import abstractmethod
from pathlib import Path

from stores import Server, free_port, unprivileged_user

USER, DATABASE = "me", "test"
# Where Debian keeps what an ordinary PATH lacks; a MySQL that has been unpacked is named by its folder.
MYSQL_FOLDER = "LOADSTONE_BENCH_MYSQL"
FERRETDB = "LOADSTONE_BENCH_FERRETDB"


def find_program(name: str) -> str | None:
    """On PATH, in /usr/sbin, or the newest of PostgreSQL's folders."""
    postgres = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    folders = [os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", *map(str, postgres)]
    return shutil.which(name, path=os.pathsep.join(folders))


def _unprivileged(command: list[str]) -> list[str]:
    """Databases refuse to run as root."""
    if os.geteuid() != 0:
        return command
    return [
        "setpriv",
        f"--reuid={unprivileged_user()}",
        "--regid=nogroup",
        "--clear-groups",
        "env",
        "TMPDIR=/tmp",
        *command,
    ]


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: {done.stderr[-500:]}")
    return done.stdout


class Database(Server):
    """A database in a folder, asked through its own command-line client."""

    def __init__(self, folder: Path, command: list[str], port: int) -> None:
        self.folder = folder
        super().__init__(_unprivileged(command), port)

    @staticmethod
    def make_folder(folder: Path) -> None:
        """Other users must be able to reach it and to write into it."""
        folder.mkdir(parents=True)
        for part in (folder, *list(folder.parents)[:2]):
            part.chmod(0o777)

    @property
    @abstractmethod
    def url(self) -> str:
        """For the engine's `--target`."""


class MySql(Database):
    """MariaDB, or the MySQL that `LOADSTONE_BENCH_MYSQL` names."""

    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        port, data, self.socket = free_port(), f"--datadir={folder}/data", f"{folder}/db.sock"
        base = os.environ.get(MYSQL_FOLDER)
        fixed = ["--no-defaults", data]
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
        super().__init__(folder, [server, *fixed, *options], port)
        self.query(f"CREATE DATABASE {DATABASE}; CREATE USER {USER}@'%'; GRANT ALL ON {DATABASE}.* TO {USER}@'%'")

    @staticmethod
    def is_here() -> bool:
        return bool(os.environ.get(MYSQL_FOLDER) or find_program("mariadbd")) and bool(find_program("mysql"))

    @property
    def url(self) -> str:
        return f"mysql://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    def query(self, text: str) -> str:
        client = find_program("mysql") or "mysql"
        for _ in range(100):
            if Path(self.socket).exists():
                break
            time.sleep(0.1)
        return _run([client, "--no-defaults", f"--socket={self.socket}", "-uroot", "-N", "-e", text])

    def count(self, operation: str) -> int:
        """Statements of one kind so far, prepared ones among them."""
        name = "Com_replace" if operation == "sql_replace" else "Com_select"
        return int(self.query(f"SHOW GLOBAL STATUS LIKE '{name}'").split()[1])


class Postgres(Database):
    """PostgreSQL that trusts everybody on loopback."""

    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        port, data = free_port(), f"{folder}/data"
        _run(_unprivileged([find_program("initdb") or "initdb", "-U", USER, "--auth=trust", "-N", "-D", data]))
        options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200",
                   "-k", str(folder), "-D", data]  # fmt: skip
        super().__init__(folder, [find_program("postgres") or "postgres", *options], port)
        self.query(f"CREATE DATABASE {DATABASE}", "postgres")

    @staticmethod
    def is_here() -> bool:
        return bool(find_program("initdb"))

    @property
    def url(self) -> str:
        return f"postgres://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    def query(self, text: str, database: str = DATABASE) -> str:
        client = [find_program("psql") or "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d", database]
        for _ in range(100):
            done = subprocess.run([*client, "-At", "-c", text], capture_output=True, text=True)
            if done.returncode == 0:
                return done.stdout
            time.sleep(0.1)
        raise SystemExit(f"psql: {done.stderr[-500:]}")

    def count(self, _operation: str) -> int:
        """Transactions so far: each statement is one. Backends report when they end, which all have done by now."""
        time.sleep(0.2)
        return int(self.query(f"SELECT xact_commit FROM pg_stat_database WHERE datname = '{DATABASE}'"))


class FerretDb(Database):
    """FerretDB: a program that gets an address and a folder. It counts no operations of its own."""

    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        port = free_port()
        program = os.environ.get(FERRETDB) or find_program("ferretdb") or "ferretdb"
        super().__init__(folder, [program, f"127.0.0.1:{port}", str(folder)], port)

    @staticmethod
    def is_here() -> bool:
        return bool(os.environ.get(FERRETDB) or find_program("ferretdb"))

    @property
    def url(self) -> str:
        return f"mongodb://127.0.0.1:{self.port}/{DATABASE}"

    def count(self, _operation: str) -> int:
        return 0
