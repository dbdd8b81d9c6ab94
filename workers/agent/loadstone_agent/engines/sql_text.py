"""SQL for programs that take statements as text: the table is our engine's, `loadstone (k, v, n)`."""

from loadstone_contracts.engine_plan import OperationKind

from loadstone_agent.engines.dataset import DataShape

TABLE = "loadstone"
WRITES = frozenset({"set", "insert", "update", "sql_replace", "delete_insert"})
MYSQL_UPSERT = "INSERT INTO {table} (k, v) VALUES ({key}, {value}) ON DUPLICATE KEY UPDATE v = VALUES(v)"
POSTGRES_UPSERT = "INSERT INTO {table} (k, v) VALUES ({key}, {value}) ON CONFLICT (k) DO UPDATE SET v = excluded.v"


def statement(kind: OperationKind, dialect: str, key: str, value: str) -> str:
    """`key` and `value` are literals or expressions of the dialect (mysql or pgsql), never a person's text."""
    upsert = POSTGRES_UPSERT if dialect == "pgsql" else MYSQL_UPSERT
    templates = {
        "get": "SELECT v FROM {table} WHERE k = {key}",
        "set": upsert,
        "insert": upsert,
        "update": "UPDATE {table} SET v = {value} WHERE k = {key}",
        "delete": "DELETE FROM {table} WHERE k = {key}",
    }
    return templates[kind].format(table=TABLE, key=key, value=value)


def value_literals(data: DataShape, dialect: str, count: int) -> list[str]:
    """The values of the first keys as literals of bytes."""
    values = [data.value(index).hex() for index in range(count)]
    return [rf"'\x{value}'::bytea" if dialect == "pgsql" else f"X'{value}'" for value in values]
