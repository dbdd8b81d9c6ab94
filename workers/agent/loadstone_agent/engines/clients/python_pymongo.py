"""PyMongo."""

from typing import Any

import pymongo
from pymongo import errors

from loadstone_agent.engines.clients.library import Call, Library, Lost, Refused, TimedOut, Unreachable, value_of


class PyMongo(Library):
    def connect(self) -> None:
        self._client: Any = pymongo.MongoClient(
            self.host,
            self.port,
            # A server that names other members would send the load to them.
            directConnection=True,
            username=self.username,
            password=self.password,
            maxPoolSize=1,
            socketTimeoutMS=self.timeout_s * 1000,
            serverSelectionTimeoutMS=self.timeout_s * 1000,
            # A repeated request would be counted once.
            retryReads=False,
            retryWrites=False,
        )
        self._collection = self._client[self.database or "loadstone"]["loadstone"]
        try:
            self._client.admin.command("ping")
        except errors.ServerSelectionTimeoutError as error:
            raise Unreachable(str(error)) from error
        except errors.PyMongoError as error:
            raise Refused(str(error)) from error

    def call(self, name: str, entries: int, first: int) -> Call:  # noqa: ARG002 - it has no lists
        collection = self._collection
        if name == "get":
            return lambda key, *_: "misses" if collection.find_one({"_id": key}) is None else "hits"
        if name == "delete":
            return lambda key, *_: "hits" if collection.delete_one({"_id": key}).deleted_count else "misses"
        upserts = name != "update"

        def write(key: str, size: int, tag: int, pool: bytes) -> str:
            change = {"$set": {"v": value_of(size, tag, pool)}}
            collection.update_one({"_id": key}, change, upsert=upserts)
            return "ok"

        return write

    def ours(self, error: Exception) -> Exception:
        if isinstance(error, errors.NetworkTimeout | errors.ServerSelectionTimeoutError):
            return TimedOut(str(error))
        return (Lost if isinstance(error, errors.ConnectionFailure) else Refused)(str(error))

    def close(self) -> None:
        self._client.close()


LIBRARY = PyMongo
