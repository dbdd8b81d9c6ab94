"""PyMySQL."""

import contextlib

import pymysql

from loadstone_agent.engines.clients.library import Call, Library, Lost, Refused, TimedOut, Unreachable, value_of


class PyMySql(Library):
    def connect(self) -> None:
        try:
            self._connection = pymysql.connect(
                host=self.host,
                port=self.port,
                user=self.username or "root",
                password=self.password or "",
                database=self.database or "test",
                autocommit=True,
                read_timeout=self.timeout_s,
                write_timeout=self.timeout_s,
            )
        except pymysql.err.OperationalError as error:
            # 2xxx are the library's own: no server was there to refuse.
            raise (Unreachable if error.args[0] >= 2000 else Refused)(str(error)) from error
        self._cursor = self._connection.cursor()

    def call(self, name: str, entries: int, first: int) -> Call:  # noqa: ARG002 - it has no lists
        execute, fetch = self._cursor.execute, self._cursor.fetchone
        if name == "get":
            return lambda key, *_: (
                execute("SELECT v FROM loadstone WHERE k = %s", (key,)), "hits" if fetch() else "misses"
            )[1]  # fmt: skip
        if name == "delete":
            return lambda key, *_: "hits" if execute("DELETE FROM loadstone WHERE k = %s", (key,)) else "misses"
        upsert = "INSERT INTO loadstone (k, v) VALUES (%s, %s) ON DUPLICATE KEY UPDATE v = VALUES(v)"
        insert = "INSERT INTO loadstone (k, v) VALUES (%s, %s)"
        writes = {
            "set": upsert,
            "insert": upsert,
            "sql_replace": "REPLACE INTO loadstone (k, v) VALUES (%s, %s)",
            "update": "UPDATE loadstone SET v = %s WHERE k = %s",
            "delete_insert": insert,
        }
        text, is_update, deletes = writes[name], name == "update", name == "delete_insert"

        def write(key: str, size: int, tag: int, pool: bytes) -> str:
            value = value_of(size, tag, pool)
            if deletes:
                execute("DELETE FROM loadstone WHERE k = %s", (key,))
            execute(text, (value, key) if is_update else (key, value))
            return "ok"

        return write

    def ours(self, error: Exception) -> Exception:
        if isinstance(error, TimeoutError) or "timed out" in str(error):
            return TimedOut(str(error))
        # 2xxx are the library's own: the connection is gone.
        if isinstance(error, pymysql.err.OperationalError) and error.args[0] >= 2000:
            return Lost(str(error))
        return (Lost if isinstance(error, OSError | pymysql.err.InterfaceError) else Refused)(str(error))

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._connection.close()


LIBRARY = PyMySql
