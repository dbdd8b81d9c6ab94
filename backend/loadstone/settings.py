"""Settings from the environment, `LOADSTONE_*`. There are no default secrets."""

from functools import cache
from pathlib import Path
from typing import Literal, Self

from loadstone_contracts.broker_address import with_authorities
from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="LOADSTONE_", extra="ignore")

    database_url: str
    """`postgresql+psycopg://user:password@host:port/name`"""
    broker_url: str
    """Redis, for Celery and for the live stream's pub/sub. Its user must be allowed ACL and CLIENT: it makes a user
    for every agent."""
    broker_ca_file: Path | None = None
    """Authorities that the certificate of a `rediss://` broker is checked against; unset, the system's."""
    agent_broker_url: str | None = None
    """The broker as agents reach it, when that differs from `broker_url`. A user in it is ignored: agents have
    their own."""
    broker_credential_days: float = Field(default=30, gt=0)
    """Agents get a new broker password that often."""
    secret_keys: SecretStr
    """Fernet keys, comma separated, newest first: targets' credentials are encrypted with them."""
    public_url: str = "http://127.0.0.1:8080"
    secure_cookies: bool = False
    """Set behind HTTPS; a plain http address on loopback cannot carry secure cookies."""
    web_dir: Path | None = None
    """The built front end, served by the api itself when set."""
    migrations_dir: Path | None = None
    """Where `loadstone-admin migrate` finds the migrations; in a checkout it finds them itself."""
    host: str = "127.0.0.1"
    port: int = 8080
    trusted_proxies: str = ""
    """Addresses or networks, comma separated, whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed; `*` is
    everyone. Empty: nobody's, and the address of a request is that of its connection."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    database_pool_size: int = Field(default=10, ge=1)
    """Connections that a process keeps; `database_pool_overflow` more are opened while all of them are in use."""
    database_pool_overflow: int = Field(default=20, ge=0)
    database_pool_timeout_s: float = Field(default=10.0, gt=0)
    """How long a request waits for a free connection before it is told to try again."""
    database_connect_timeout_s: int = Field(default=10, ge=1)
    database_statement_timeout_s: float = Field(default=120.0, ge=0)
    """One statement that takes longer is given up; 0 is no limit. Migrations have none."""

    session_days: int = Field(default=14, ge=1)
    max_body_bytes: int = 32 * 1024 * 1024
    max_bundle_bytes: int = 512 * 1024 * 1024
    """Of a run's bundle that is imported; it waits in a temporary file."""
    max_trace_bytes: int = 64 * 1024 * 1024
    """Of a recorded trace that is uploaded: about two million lines. It is read in memory and kept compressed."""
    lease_ttl_s: float = Field(default=120.0, gt=0)
    """Longer than an api outage that a trial should survive; a crash is seen earlier when the agent restarts."""
    renew_every_s: float = Field(default=1.0, gt=0)
    """Bounds how long a cancel takes to reach the agent."""
    heartbeat_every_s: float = Field(default=5.0, gt=0)
    agent_offline_after_s: float = Field(default=20.0, gt=0)
    agent_lost_after_s: float = Field(default=900.0, gt=0)
    """A run bound to an agent that stays away this long ends as failed."""
    max_attempts: int = Field(default=3, ge=1)
    smtp_url: SecretStr | None = None
    """The mail server as an Apprise URL: `mailtos://user:password@host:587?from=loadstone@example.org`."""
    notify_private_addresses: bool = False
    """Whether notifications may go to addresses of all private networks and of this machine."""
    notify_networks: str = ""
    """Networks, comma separated, that notifications may go to although they are private: receivers of one's own.
    Link-local and metadata addresses are refused even then."""

    @model_validator(mode="after")
    def _check_brokers_certificate(self) -> Self:
        """Everything that connects takes the address as it is, so what TLS needs stands in it."""
        self.broker_url = with_authorities(self.broker_url, str(self.broker_ca_file) if self.broker_ca_file else None)
        return self


@cache
def get_settings() -> Settings:
    """Read once a process."""
    return Settings()
