"""MongoDB, where its server is on the PATH, and everything else that speaks its protocol."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from bson.errors import BSONError
from loadstone_contracts.agent_calls import StoreFacts, TargetKind
from pymongo import MongoClient
from pymongo.errors import ConnectionFailure, PyMongoError

from loadstone_agent.errors import BadPlan, TargetRefused, TargetUnreachable
from loadstone_agent.stores.base import (
    CONNECT_TIMEOUT_S,
    DATABASE,
    MARKER_TABLE,
    MIN_CONNECTIONS,
    SPARE_CONNECTIONS,
    Endpoint,
    StoreControl,
    StoreKind,
    numbers_in,
)
from loadstone_agent.stores.options import check_options
from loadstone_agent.tls import authorities_file

UNCOUNTED = ("locks", "repl", "tcmalloc", "opLatencies", "transactions", "sharding", "mirroredReads")
"""Sections of the server's status that are long and not wanted."""
UNKNOWN = "unknown"


class MongoDb(StoreKind):
    kind: ClassVar[TargetKind] = "mongodb"
    binary = "mongod"
    package = "mongodb"
    is_packaged = False
    protocols = ("mongodb",)
    by_hand: ClassVar[str | None] = (
        "put MongoDB's own mongod on the PATH, no package has it (`stores install ferretdb` comes near it)"
    )

    def database_of(self, endpoint: Endpoint) -> str:
        return endpoint.database or DATABASE

    def connect(self, endpoint: Endpoint) -> "MongoControl":
        return MongoControl(endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"v(\d+\.\d+\.\d+\S*)", printed)
        return found[1] if found else printed.strip()

    def last_words(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - the same for all
        # FerretDB opens its files at the first write, by their whole path: better to fail at the start.
        return 'cd "$PWD" && mkdir -p data'

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        check_options(self.kind, "MongoDB", options)
        needed = max(MIN_CONNECTIONS, connections + SPARE_CONNECTIONS)
        arguments = ["--dbpath", "./data", "--bind_ip", "127.0.0.1", "--port", str(ports[0]), "--nounixsocket",
                     "--noscripting"]  # fmt: skip
        for name, value in {"maxConns": str(needed), **options}.items():
            arguments += [f"--{name}", value]
        return arguments


@contextmanager
def _faults_of(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except (ConnectionFailure, OSError) as error:
        raise TargetUnreachable(
            f"MongoDB at {endpoint} does not answer: check the address, the port, TLS and that it is running.",
            str(error),
        ) from error
    except (PyMongoError, BSONError) as error:
        raise TargetRefused(
            f"MongoDB at {endpoint} refused a command: check user, password and what this user may do.", str(error)
        ) from error


class MongoControl(StoreControl):
    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        with authorities_file(endpoint.tls) as authorities, _faults_of(endpoint):
            self._client: MongoClient[dict[str, Any]] = MongoClient(
                endpoint.host,
                endpoint.port,
                username=endpoint.username,
                password=endpoint.password,
                directConnection=True,
                maxPoolSize=1,
                serverSelectionTimeoutMS=int(CONNECT_TIMEOUT_S * 1000),
                connectTimeoutMS=int(CONNECT_TIMEOUT_S * 1000),
                socketTimeoutMS=int(endpoint.answer_timeout_s * 1000),
                **_tls_options(endpoint, authorities),
            )
            try:
                # Connects while the file of authorities is there.
                self._client.admin.command("ping")
            except BaseException:
                self._client.close()
                raise
        self._database = self._client[endpoint.database or DATABASE]

    def _ask(self, command: str, value: Any = 1) -> dict[str, Any]:
        with _faults_of(self.endpoint):
            return dict(self._client.admin.command(command, value))

    def ping(self) -> None:
        self._ask("ping")

    def process_id(self) -> int:
        return int(self._ask("serverStatus")["pid"])

    def version(self) -> str:
        return _version_of(self._ask("buildInfo"))

    def facts(self) -> StoreFacts:
        """A FerretDB is told as one, whatever version of MongoDB it claims to be."""
        build = self._ask("buildInfo")
        kind = "ferretdb" if "ferretdbVersion" in build else "mongodb"
        told = {
            "buildInfo": {name: build[name] for name in ("version", "storageEngines", "modules") if name in build},
            "parsed": self._ask("getCmdLineOpts").get("parsed", {}),
            "parameter": {name: value for name, value in self._ask("getParameter", "*").items() if name != "ok"},
        }
        settings = {name: value for name, value in _flat(told) if "password" not in name.lower()}
        return StoreFacts(kind=kind, version=_version_of(build), settings=settings)

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:
        """Sections are named by dots; a server that lacks some (FerretDB has few) tells the others."""
        sections = {name.split(".", 1)[0] for name in wanted}
        with _faults_of(self.endpoint):
            answer = self._client.admin.command({"serverStatus": 1, **dict.fromkeys(UNCOUNTED, 0)})
        told = {name: answer[name] for name in sections if name in answer}
        return numbers_in({name: value for name, value in _flat(told) if name in wanted})

    def _collections(self) -> list[str]:
        with _faults_of(self.endpoint):
            return [name for name in self._database.list_collection_names() if not name.startswith("system.")]

    def is_empty(self) -> bool:
        return not self._collections()

    def has_marker(self) -> bool:
        return MARKER_TABLE in self._collections()

    def write_marker(self) -> None:
        with _faults_of(self.endpoint):
            self._database[MARKER_TABLE].replace_one({"_id": 1}, {"_id": 1}, upsert=True)

    def flush(self) -> None:
        """Drops the collections of this database only."""
        for name in self._collections():
            with _faults_of(self.endpoint):
                self._database.drop_collection(name)

    def close(self) -> None:
        self._client.close()


def _tls_options(endpoint: Endpoint, authorities: str | None) -> dict[str, Any]:
    """Raises BadPlan: the library holds a certificate against the address only."""
    tls = endpoint.tls
    if tls is None:
        return {}
    if not tls.verify_certificate:
        return {"tls": True, "tlsAllowInvalidCertificates": True}
    if tls.server_name != endpoint.host:
        raise BadPlan(
            f"The certificate of {endpoint} is held against its address: give the host as {tls.server_name!r}, "
            "the name that the certificate carries."
        )
    return {"tls": True, **({"tlsCAFile": authorities} if authorities else {})}


def _version_of(build: Mapping[str, Any]) -> str:
    return str(build.get("ferretdbVersion", build["version"])).removeprefix("v")


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{path}.{name}" if path else str(name))
    else:
        yield path, str(value)
