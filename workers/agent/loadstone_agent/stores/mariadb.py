"""MariaDB: a data directory of its own, and one database to measure in."""

import re
from collections.abc import Mapping, Sequence

from loadstone_agent.stores.base import DATABASE, Endpoint
from loadstone_agent.stores.mysql_control import RESERVED, MySqlControl
from loadstone_agent.stores.sql import OR_SHOW, SqlStore

# A folder for temporary tables of its own: a MariaDB that starts removes all that it finds, those of others too.
PREPARE = (
    'mkdir -p tmp && TMPDIR="$PWD/tmp" '
    'mariadb-install-db --no-defaults --datadir="$PWD" --auth-root-authentication-method=normal --skip-test-db '
    f"{OR_SHOW}; echo 'CREATE DATABASE IF NOT EXISTS {DATABASE};' > init.sql"
)


class MariaDb(SqlStore):
    kind = "mariadb"
    title = "MariaDB"
    binary = "mariadbd"
    package = "mariadb-server"
    protocols = ("mysql", "mysql_text")
    reserved = RESERVED

    def prepare(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - one version
        return PREPARE

    def connect(self, endpoint: Endpoint) -> MySqlControl:
        return MySqlControl(self.kind, endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"Ver (\S+?)-MariaDB", printed)
        return found[1] if found else printed.strip()

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        fixed = ["--no-defaults", "--datadir=.", "--init-file=./init.sql", "--bind-address=127.0.0.1",
                 f"--port={ports[0]}", "--socket=./store.sock", "--pid-file=./store.pid",
                 "--skip-name-resolve", "--tmpdir=./tmp", "--ignore-db-dirs=tmp"]  # fmt: skip
        chosen = self.checked_options(options, connections)
        return [*fixed, *(f"--{name.replace('_', '-')}={value}" for name, value in chosen)]
