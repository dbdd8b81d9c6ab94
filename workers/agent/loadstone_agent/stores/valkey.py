"""Valkey: spoken to like Redis, from which it came; packaged by newer systems, else from a private prefix."""

from collections.abc import Mapping
from pathlib import Path

from loadstone_agent.errors import StoreMissing
from loadstone_agent.stores.base import NO_OPTIONS
from loadstone_agent.stores.packages import Say, install_packages, is_packaged
from loadstone_agent.stores.private_prefix import find_private, install_private, private_launcher
from loadstone_agent.stores.redis import Redis


class Valkey(Redis):
    kind = "valkey"
    title = "Valkey"
    binary = "valkey-server"
    package = "valkey-server"
    is_packaged = False
    external_protocols = ()

    def find_binary(self, options: Mapping[str, str] = NO_OPTIONS) -> str:
        try:
            return super().find_binary(options)
        except StoreMissing:
            found = find_private(self.package, self.binary)
            if found is None:
                raise
            return str(found)

    def launcher(self, options: Mapping[str, str]) -> list[str]:
        return private_launcher(Path(self.find_binary(options)))

    def install(self, say: Say, version: str | None = None) -> None:
        if version is None and is_packaged(self.package):
            install_packages([self.package], say)
        else:
            install_private(self.package, version, say)
