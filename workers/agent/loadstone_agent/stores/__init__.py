"""Targets: how each kind of store is started, reached and asked about itself. Never used for load."""

from loadstone_contracts.agent_calls import TargetKind

from loadstone_agent.stores.base import StoreKind
from loadstone_agent.stores.mariadb import MariaDb
from loadstone_agent.stores.memcached import Memcached
from loadstone_agent.stores.mysql import MySql
from loadstone_agent.stores.postgresql import PostgreSql
from loadstone_agent.stores.redis import Redis

KINDS: dict[TargetKind, StoreKind] = {
    "memcached": Memcached(),
    "redis": Redis(),
    "mysql": MySql(),
    "mariadb": MariaDb(),
    "postgresql": PostgreSql(),
}
