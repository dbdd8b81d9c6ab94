"""MariaDB: a data directory of its own, and one database to measure in."""

import re
import shlex
from collections.abc import Mapping, Sequence

from loadstone_agent.stores.base import DATABASE, Endpoint
from loadstone_agent.stores.mysql_control import ADMIN, ADMIN_FILE, CONFINED, LOAD_ROLE, LOCAL, MySqlControl
from loadstone_agent.stores.sql import OR_SHOW, SqlStore

ROLES = (
    f"CREATE DATABASE {DATABASE};",
    # The installer makes users without names, and one of root for each name of the host that it ran on.
    "DELETE FROM mysql.global_priv WHERE User = '' OR Host NOT IN ('127.0.0.1', 'localhost');",
    "FLUSH PRIVILEGES;",
    *LOAD_ROLE,
)
# A folder for temporary tables of its own: a MariaDB that starts removes all that it finds, those of others too.
PREPARE = (
    f"mkdir -p tmp files && printf '%s\\n' {' '.join(map(shlex.quote, ROLES))} > roles.sql && "
    'TMPDIR="$PWD/tmp" '
    'mariadb-install-db --no-defaults --datadir="$PWD" --auth-root-authentication-method=normal --skip-test-db '
    f"--extra-file=roles.sql {OR_SHOW}"
)


class MariaDb(SqlStore):
    kind = "mariadb"
    title = "MariaDB"
    binary = "mariadbd"
    package = "mariadb-server"
    protocols = ("mysql", "mysql_text")
    admin_user = ADMIN

    def prepare(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - one version
        return PREPARE

    def private_files(self, admin_password: str) -> Mapping[str, str]:
        """An init file, which the server carries out before it takes a connection."""
        return {ADMIN_FILE: "".join(f"ALTER USER {ADMIN}@{host} IDENTIFIED BY '{admin_password}';\n" for host in LOCAL)}

    def connect(self, endpoint: Endpoint) -> MySqlControl:
        return MySqlControl(self.kind, endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"Ver (\S+?)-MariaDB", printed)
        return found[1] if found else printed.strip()

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        fixed = ["--no-defaults", "--datadir=.", f"--init-file=./{ADMIN_FILE}", "--bind-address=127.0.0.1",
                 f"--port={ports[0]}", "--socket=./store.sock", "--pid-file=./store.pid",
                 "--skip-name-resolve", "--tmpdir=./tmp", "--ignore-db-dirs=tmp",
                 "--ignore-db-dirs=files", "--secure-file-priv=./files", *CONFINED]  # fmt: skip
        chosen = self.checked_options(options, connections)
        return [*fixed, *(f"--{name.replace('_', '-')}={value}" for name, value in chosen)]
