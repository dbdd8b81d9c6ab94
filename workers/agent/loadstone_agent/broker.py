"""This agent's own broker user: the one in use, and how it is renewed without a restart."""

from urllib.parse import unquote, urlsplit

import structlog
from loadstone_contracts.broker import Credentials
from loadstone_contracts.broker_address import BrokerUser, leaves_host_in_clear, with_authorities, without_user
from loadstone_contracts.enrollment import BrokerCredential, BrokerCredentialRequest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError
from redis.retry import Retry

from loadstone_agent.api import AgentApi, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.errors import AgentError
from loadstone_agent.identity import Identity, save_identity
from loadstone_agent.settings import AgentSettings

log = structlog.get_logger()

FIRST_CREDENTIAL = Patience(30.0)
SIGN_IN_TIMEOUT_S = 3.0


class BrokerInClear(AgentError):
    code = "broker_in_clear"


class BrokerCredentialMissing(AgentError):
    code = "broker_credential_missing"


def refuse_plain_text(settings: AgentSettings, broker_url: str) -> None:
    """Raises BrokerInClear where the password would cross a network unencrypted."""
    if leaves_host_in_clear(broker_url) and not settings.broker_plain_text:
        host = urlsplit(broker_url).hostname
        raise BrokerInClear(
            f"The broker at {host} is reached without TLS, so others on the network could read this agent's password. "
            "Set LOADSTONE_AGENT_BROKER_URL on the server to a rediss:// address; where the network is this host's "
            "own, set LOADSTONE_BROKER_PLAIN_TEXT=true here."
        )


class BrokerAccess:
    """The address without a user, and the user that connections sign in with. The heartbeat keeps it up to date."""

    def __init__(self, settings: AgentSettings, identity: Identity, api: AgentApi) -> None:
        """Raises BrokerInClear, BrokerCredentialMissing."""
        self._settings = settings
        self._identity = identity
        self._api = api
        refuse_plain_text(settings, identity.broker_url)
        # The worker beats once the broker has let it in, so a user that is gone would be noticed by nobody.
        if identity.broker_user is None or self._is_locked_out():
            self._get_first()
        self.credentials = Credentials(_user(self._identity))

    def _is_locked_out(self) -> bool:
        """Return whether the broker knows this agent's user no more. One that does not answer is waited for later."""
        user = _user(self._identity)
        try:
            with Redis.from_url(
                self.url,
                username=user.name,
                password=user.password,
                socket_timeout=SIGN_IN_TIMEOUT_S,
                socket_connect_timeout=SIGN_IN_TIMEOUT_S,
                retry=Retry(NoBackoff(), 0),
                driver_info=None,
            ) as connection:
                connection.ping()
        except AuthenticationError:
            return True
        except RedisError as error:
            log.warning("broker_not_reached", error=str(error))
        return False

    def _get_first(self) -> None:
        """An agent that was enrolled with the password of everybody, or lost its user, gets one of its own."""
        request = BrokerCredentialRequest(broker_user=self.user_name)
        try:
            self._take(self._api.renew_broker_credential(request, FIRST_CREDENTIAL))
        except (ApiRefused, ApiUnreachable) as fault:
            raise BrokerCredentialMissing(
                f"This agent has no broker user of its own yet and did not get one ({fault}). Check that the service "
                "runs and is up to date, or enroll this host again."
            ) from None

    @property
    def user_name(self) -> str | None:
        return self._identity.broker_user

    @property
    def url(self) -> str:
        ca_file = self._settings.broker_ca_file
        return with_authorities(without_user(self._identity.broker_url), str(ca_file) if ca_file else None)

    def renew(self) -> None:
        """Get another user; connections change over by themselves. Raises ApiRefused, ApiUnreachable."""
        request = BrokerCredentialRequest(broker_user=self.user_name)
        self._take(self._api.renew_broker_credential(request, Patience(0.0)))
        self.credentials.change(_user(self._identity))
        log.info("broker_credential_renewed", user=self.user_name)

    def _take(self, answer: BrokerCredential) -> None:
        self._identity = self._identity.model_copy(update=answer.model_dump())
        # Kept before it is used: what the api took away must not be read at the next start.
        save_identity(self._settings.agent_dir, self._identity)


def _user(identity: Identity) -> BrokerUser:
    parts = urlsplit(identity.broker_url)
    return BrokerUser(unquote(parts.username or ""), unquote(parts.password or ""))
