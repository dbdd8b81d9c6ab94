"""Targets: how each kind of store is started, reached and asked about itself. Never used for load."""

from loadstone_contracts.agent_calls import TargetKind

from loadstone_agent.stores.base import StoreKind
from loadstone_agent.stores.ferretdb import FerretDb
from loadstone_agent.stores.mariadb import MariaDb
from loadstone_agent.stores.memcached import Memcached
from loadstone_agent.stores.memlink import Memlink
from loadstone_agent.stores.mongodb import MongoDb
from loadstone_agent.stores.mysql import MySql
from loadstone_agent.stores.postgresql import PostgreSql
from loadstone_agent.stores.redis import Redis
from loadstone_agent.stores.valkey import Valkey

KINDS: dict[TargetKind, StoreKind] = {
    "memcached": Memcached(),
    "redis": Redis(),
    "valkey": Valkey(),
    "mysql": MySql(),
    "mariadb": MariaDb(),
    "postgresql": PostgreSql(),
    "mongodb": MongoDb(),
    "ferretdb": FerretDb(),
    "memlink": Memlink(),
}
