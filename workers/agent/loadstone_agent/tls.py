"""TLS as a target asks for it, for the control round trips (the load's TLS is the engine's own)."""

import socket
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loadstone_contracts.engine_plan import Tls


class NamedContext(ssl.SSLContext):
    """Checks the certificate against the target's server name, which need not be the address it is reached at."""

    server_name: str

    def wrap_socket(self, sock: socket.socket, *args: Any, **options: Any) -> ssl.SSLSocket:
        options["server_hostname"] = self.server_name
        return super().wrap_socket(sock, *args, **options)


def client_context(tls: Tls) -> NamedContext:
    context = NamedContext(ssl.PROTOCOL_TLS_CLIENT)
    context.server_name = tls.server_name
    if tls.ca_pem:
        context.load_verify_locations(cadata=tls.ca_pem)
    else:
        context.load_default_certs()
    if not tls.verify_certificate:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


@contextmanager
def authorities_file(tls: Tls | None) -> Iterator[str | None]:
    """For libraries that read authorities from a file only; None where the system's are trusted."""
    if tls is None or not tls.ca_pem:
        yield None
        return
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as authorities:
        authorities.write(tls.ca_pem)
        authorities.flush()
        yield authorities.name
