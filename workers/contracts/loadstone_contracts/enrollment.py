"""How an agent joins, and gets its user at the broker."""

from pydantic import Field

from loadstone_contracts.model import Message

AGENT_PROTOCOL = 2
"""2: the agent signs in to the broker as a user of its own and needs no other command there than BRPOP."""


class EnrollRequest(Message):
    enrollment_token: str
    name: str = Field(min_length=1, max_length=100)
    host_key: str = Field(min_length=1, max_length=200)
    """Stable identity of the host (machine-id); two agents on one host share it and so exclude each other."""
    labels: dict[str, str] = Field(default_factory=dict)
    agent_protocol: int = Field(default=1, ge=1)
    """`AGENT_PROTOCOL` of the agent's release. The first releases did not send it."""


class BrokerCredential(Message):
    """The agent's own broker user. It opens the agent's own queue and nothing else."""

    broker_url: str
    """With the user and its password."""
    broker_user: str


class EnrollResponse(BrokerCredential):
    agent_id: str
    token: str
    queue: str


class BrokerCredentialRequest(Message):
    """Asks for a new broker user."""

    broker_user: str | None = Field(default=None, max_length=200)
    """The one in use now. It stays valid until a heartbeat names the new one."""
