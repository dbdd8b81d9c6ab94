"""The broker's address: whose password stands in it, and what its TLS checks."""

import ssl
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class BrokerUser(NamedTuple):
    name: str
    password: str


def tls_options(url: str) -> dict[str, Any] | None:
    """Return Celery's `broker_use_ssl` for a `rediss` address: certificate and name are always checked."""
    if urlsplit(url).scheme != "rediss":
        return None
    authorities = dict(parse_qsl(urlsplit(url).query)).get("ssl_ca_certs")
    options = {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}
    return {**options, "ssl_ca_certs": authorities} if authorities else options


def with_authorities(url: str, ca_file: str | None) -> str:
    """Return the address with what its TLS needs in its query, where redis-py and kombu both read it."""
    parts = urlsplit(url)
    if parts.scheme != "rediss":
        return url
    query = {**dict(parse_qsl(parts.query)), "ssl_cert_reqs": "required", "ssl_check_hostname": "true"}
    if ca_file:
        query["ssl_ca_certs"] = ca_file
    return urlunsplit(parts._replace(query=urlencode(query, safe="/")))


def without_user(url: str) -> str:
    """Return the address without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def with_user(url: str, user: BrokerUser) -> str:
    """Return the address for this user, in place of whatever user it named."""
    parts = urlsplit(without_user(url))
    name_and_password = f"{quote(user.name, safe='')}:{quote(user.password, safe='')}"
    return urlunsplit(parts._replace(netloc=f"{name_and_password}@{parts.netloc}"))


def leaves_host_in_clear(url: str) -> bool:
    """Return whether others on the network could read what is sent there, the password included."""
    parts = urlsplit(url)
    return parts.scheme == "redis" and parts.hostname not in LOOPBACK
