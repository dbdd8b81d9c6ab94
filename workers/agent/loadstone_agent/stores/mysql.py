"""MySQL with the InnoDB memcached plugin: SQL and memcached are two ports of one server.

From Oracle's own binary distribution, of which an agent may hold several versions side by side (`stores install`).
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone_contracts.agent_calls import StoreOffer
from loadstone_contracts.engine_plan import StoreProtocol
from loadstone_contracts.store_options import VERSION_OPTION

from loadstone_agent.errors import StoreMissing, TargetRefused
from loadstone_agent.settings import get_settings
from loadstone_agent.stores.base import DATABASE, NO_OPTIONS, Endpoint
from loadstone_agent.stores.memcached import Memcached
from loadstone_agent.stores.mysql_control import (
    ADMIN,
    ADMIN_FILE,
    CONFINED,
    LOAD_ROLE,
    LOCAL,
    MySqlControl,
)
from loadstone_agent.stores.mysql_distribution import MYSQL_DISTRIBUTIONS, install_distributions
from loadstone_agent.stores.packages import Say
from loadstone_agent.stores.sql import OR_SHOW, SqlStore, Table, enough_connections

CONTAINERS = ("innodb_memcache", "containers")
PLUGIN = "daemon_memcached"
SYSTEM_PREFIXES = Path("/opt")
FOLDER = re.compile(r"mysql-(\d+(?:\.\d+)*)")
OLD_ADMIN_FILE = "admin-5.6.sql"


class MySql(SqlStore):
    kind = "mysql"
    title = "MySQL"
    admin_user = ADMIN
    binary = "mysqld"
    package = "mysql"
    is_packaged = False
    protocols = ("mysql", "mysql_text", "memcached", "memcached_binary")
    listeners = 2

    def listener_of(self, protocol: StoreProtocol) -> int:
        return 0 if protocol in ("mysql", "mysql_text") else 1

    def connect(self, endpoint: Endpoint) -> "PluginControl":
        return PluginControl(self.kind, endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"Ver (\d+(?:\.\d+)+)", printed)
        return found[1] if found else printed.strip()

    def find_binary(self, options: Mapping[str, str] = NO_OPTIONS) -> str:
        found = installed_prefixes()
        wanted = options.get(VERSION_OPTION)
        prefix = found.get(wanted) if wanted else next(iter(found.values()), None)
        if prefix is None:
            named = f"MySQL {wanted}" if wanted else "MySQL"
            raise StoreMissing(f"{named} is not installed on this agent host: run `{self.remedy}` there.")
        return str(prefix / "bin/mysqld")

    def offers(self) -> list[StoreOffer]:
        """Beside versions that are here, those that could be."""
        found = [
            StoreOffer(kind=self.kind, available=True, version=version, binary=str(prefix / "bin/mysqld"))
            for version, prefix in installed_prefixes().items()
        ]
        here = {offer.version for offer in found}
        missing = [
            StoreOffer(
                kind=self.kind, available=False, version=one.version, remedy=f"{self.remedy} --version {one.version}"
            )
            for one in MYSQL_DISTRIBUTIONS
            if one.version not in here
        ]
        return [*found, *missing] if found else [self.offer()]

    def install(self, say: Say, version: str | None = None) -> None:
        install_distributions(say, version)

    def prepare(self, options: Mapping[str, str]) -> str:
        base = Path(self.find_binary(options)).parents[1]
        return _initialise_old(base) if _is_old(base) else _initialise(base)

    def last_words(self, options: Mapping[str, str]) -> str:
        # 5.6 tells a relative path as it was given, and its process is known by that file. 8.0 looks for the folder of
        # temporary tables from two places. `files` stays empty: 5.6 has no NULL, which forbids every file.
        is_old = _is_old(Path(self.find_binary(options)).parents[1])
        files = '"$PWD/files"' if is_old else "NULL"
        init = f'--init-file="$PWD/{OLD_ADMIN_FILE if is_old else ADMIN_FILE}"'
        paths = f'--pid-file="$PWD/store.pid" --tmpdir="$PWD/tmp" --secure-file-priv={files} {init}'
        return f'mkdir -p files && set -- "$@" {paths}'

    def private_files(self, admin_password: str) -> Mapping[str, str]:
        """An init file for each generation, which the server carries out before it takes a connection."""
        return {ADMIN_FILE: _admin_words(admin_password), OLD_ADMIN_FILE: _old_admin_words(admin_password)}

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        base = Path(self.find_binary(options)).parents[1]
        sql_port, memcached_port = ports
        memcached = f"-p {memcached_port} -U 0 -l 127.0.0.1 -c {enough_connections(connections)}"
        arguments = [
            "--no-defaults",
            f"--basedir={base}",
            "--datadir=./data",
            "--bind-address=127.0.0.1",
            f"--port={sql_port}",
            "--socket=../store.sock",
            "--skip-name-resolve",
            f"--plugin-dir={base}/lib/plugin",
            "--plugin-load=daemon_memcached=libmemcached.so",
            *CONFINED,
            f"--daemon-memcached-option={memcached}",
        ]
        if not _is_old(base):
            # Off, as 5.6 and MariaDB have it: a profile that wants a binary log says so.
            arguments.append("--mysqlx=OFF")
            options = {"log_bin": "OFF", **options}
        for name, value in self.checked_options(options, connections):
            arguments += _rendered(name, value)
        return arguments


def _rendered(name: str, value: str) -> list[str]:
    """A binary log is named, not switched; 5.6 has none where nothing is said, and wants a number of the server."""
    if name == "log_bin":
        return ["--log-bin=binlog", "--server-id=1"] if value == "ON" else ["--skip-log-bin"]
    return [f"--{name.replace('_', '-')}={value}"]


class PluginControl(MySqlControl):
    """The plugin holds its table open: that one is emptied, the others are dropped."""

    def ping(self) -> None:
        super().ping()
        if self.endpoint.plugin_port is not None:
            with Memcached().control(Endpoint(self.endpoint.host, self.endpoint.plugin_port)) as plugin:
                plugin.ping()

    def _tables(self) -> list[Table]:
        table = self._items()
        return [one for one in super()._tables() if table is None or (self._database, one.name) != table]

    def is_empty(self) -> bool:
        table = self._items()
        return super().is_empty() and not (table and self._rows(f"SELECT 1 FROM {_quoted(table)} LIMIT 1"))  # noqa: S608

    def flush(self) -> None:
        super().flush()
        table = self._items()
        if table is not None:
            self._rows(f"DELETE FROM {_quoted(table)}")  # noqa: S608 - a name from the server, quoted

    @property
    def _database(self) -> str:
        return self.endpoint.database or DATABASE

    def _items(self) -> Table | None:
        """What the plugin keeps its items in, where it is ours to load: in this database, or because its port is named.

        Of several containers the plugin takes `default`, or else the first by name.
        """
        known = "SELECT 1 FROM information_schema.tables WHERE table_schema = %s AND table_name = %s"
        order = "ORDER BY name <> 'default', name LIMIT 1"
        found = self._rows(known, *CONTAINERS) and self._rows(
            f"SELECT db_schema, db_table FROM {'.'.join(CONTAINERS)} {order}"  # noqa: S608 - constants
        )
        is_named = self.endpoint.plugin_port is not None
        if not found:
            if is_named:
                raise TargetRefused(
                    f"{'.'.join(CONTAINERS)} at {self.endpoint} tells of no container: set the plugin up, and let this "
                    "user read that table."
                )
            return None
        table = Table(*map(str, found[0]))
        return table if is_named or table.schema == self._database else None

    def missing_part(self) -> str | None:
        """The server starts without a plugin that it could not load, and says so in its log only."""
        active = "SELECT 1 FROM information_schema.plugins WHERE plugin_name = %s AND plugin_status = 'ACTIVE'"
        if self._rows(active, PLUGIN):
            return None
        return f"MySQL runs without its plugin {PLUGIN}: see its log; remove its folder to install it again."


def _quoted(table: Table) -> str:
    return ".".join(f"`{part.replace('`', '``')}`" for part in table)


def installed_prefixes() -> dict[str, Path]:
    """Folders by version, the newest first: what the agent installed, and what lies beside other software."""
    found = {}
    for parent in (SYSTEM_PREFIXES, get_settings().servers_dir):
        for folder in parent.glob("mysql-*"):
            match = FOLDER.fullmatch(folder.name)
            if match and os.access(folder / "bin/mysqld", os.X_OK):
                found[match[1]] = folder
    return dict(sorted(found.items(), key=lambda item: [int(part) for part in item[0].split(".")], reverse=True))


def _is_old(base: Path) -> bool:
    """5.6 is initialised by a stream of statements, not by an option."""
    match = FOLDER.fullmatch(base.name)
    return match is not None and match[1].startswith("5.6.")


OWN_TABLE = (
    "CREATE DATABASE IF NOT EXISTS loadstone;",
    "CREATE TABLE loadstone.memcached (c1 VARCHAR(250) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL PRIMARY KEY, "
    "c2 MEDIUMBLOB, c3 INT, c4 BIGINT UNSIGNED, c5 INT) ENGINE=InnoDB;",
    "DELETE FROM innodb_memcache.containers;",
    "INSERT INTO innodb_memcache.containers VALUES "
    "('default', 'loadstone', 'memcached', 'c1', 'c2', 'c3', 'c4', 'c5', 'PRIMARY');",
)
"""Keys as long as memcached's own. The demonstration table cuts keys at 32 and values at 1024 bytes without a word."""


def _admin_words(password: str) -> str:
    changed = (f"ALTER USER {ADMIN}@{host} IDENTIFIED WITH mysql_native_password BY '{password}';" for host in LOCAL)
    return "SET sql_log_bin = 0;\n" + "".join(f"{statement}\n" for statement in changed)


def _old_admin_words(password: str) -> str:
    """All of it at each start: the bootstrap of 5.6 knows no users, so a template cannot hold them."""
    statements = (
        "SET sql_log_bin = 0;",
        "DELETE FROM mysql.user WHERE User <> 'root' OR Host NOT IN ('127.0.0.1', 'localhost');",
        "DELETE FROM mysql.db;",
        "DELETE FROM mysql.proxies_priv;",
        "FLUSH PRIVILEGES;",
        *LOAD_ROLE,
        *(f"SET PASSWORD FOR {ADMIN}@{host} = PASSWORD('{password}');" for host in LOCAL),
        # Tables of MyISAM that are open when the server is killed count as crashed.
        "FLUSH TABLES;",
    )
    return "".join(f"{statement}\n" for statement in statements)


ROOT_BY_ADDRESS = (
    "CREATE USER root@'127.0.0.1' IDENTIFIED BY '';",
    "GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;",
)
"""From 5.7 on root comes from `localhost` only, a name that a server without name resolution does not know."""


def _plugin_tables(base: Path, more: Sequence[str] = ()) -> str:
    """The plugin's own script lacks a semicolon, and its container is the demonstration table."""
    # One statement a line: that is how the bootstrap of 5.6 and an init file are read.
    own = "\\n".join((*OWN_TABLE, *more))
    return f"sed 's/^USE test$/USE test;/' '{base}/share/innodb_memcached_config.sql' && printf \"{own}\\n\""


# A folder for temporary tables of its own: a server that starts removes all that it finds, those of others too.
def _initialise(base: Path) -> str:
    return (
        f"mkdir -p tmp && {{ {_plugin_tables(base, (*ROOT_BY_ADDRESS, *LOAD_ROLE))}; }} > init.sql && "
        f"'{base}/bin/mysqld' --no-defaults --initialize-insecure --tmpdir=\"$PWD/tmp\" "
        f'--basedir=\'{base}\' --datadir="$PWD/data" --init-file="$PWD/init.sql" {OR_SHOW}'
    )


def _initialise_old(base: Path) -> str:
    tables = f"cat '{base}/share/mysql_system_tables.sql' '{base}/share/mysql_system_tables_data.sql'"
    return (
        f"mkdir -p data/mysql data/test tmp && {{ echo 'use mysql;'; {tables}; {_plugin_tables(base)}; }} | "
        f"'{base}/bin/mysqld' --no-defaults --bootstrap --basedir='{base}' --datadir=\"$PWD/data\" "
        f'--tmpdir="$PWD/tmp" {OR_SHOW}'
    )
