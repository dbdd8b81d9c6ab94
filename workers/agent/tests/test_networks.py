"""What an agent may measure: its own settings say so, and no bytes of anything else come back."""

import json
import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from loadstone_agent.check import check_target
from loadstone_agent.errors import TargetNotAllowed
from loadstone_agent.identity import Identity
from loadstone_agent.networks import pinned
from loadstone_agent.settings import AgentSettings
from loadstone_agent.stores import KINDS
from loadstone_agent_testing.assignments import external
from loadstone_contracts.agent_calls import AssignedTarget
from loadstone_contracts.engine_plan import Tls

DEFAULT = AgentSettings.model_fields["agent_target_networks"].default
IDENTITY = Identity(
    agent_id="a",
    name="a",
    token="lsa_x",
    queue="q",
    broker_url="redis://:x@127.0.0.1:6390/0",
    url="http://127.0.0.1:8090",
)
REFUSED_ALWAYS = [
    "169.254.169.254",
    "fd00:ec2::254",
    "192.0.0.192",
    "fe80::1",
    "0.0.0.0",
    "224.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "::",
    "2852039166",
    "0xa9fea9fe",
]
ANY_NETWORK = "0.0.0.0/0,::/0,public"


def target(host: str, **fields: Any) -> AssignedTarget:
    return external("redis", 6379).model_copy(update={"host": host, **fields})


@pytest.mark.parametrize("host", REFUSED_ALWAYS)
def test_metadata_and_link_local_addresses_are_refused_whatever_the_setting(host: str) -> None:
    for networks in (DEFAULT, ANY_NETWORK):
        with pytest.raises(TargetNotAllowed):
            pinned(target(host), networks, IDENTITY)
        with pytest.raises(TargetNotAllowed):
            pinned(target("127.0.0.1", read_host=host), networks, IDENTITY)


def test_the_setting_decides_and_names_are_looked_up() -> None:
    assert pinned(target("localhost"), DEFAULT, IDENTITY).host in ("127.0.0.1", "::1")
    assert pinned(target("10.1.2.3"), DEFAULT, IDENTITY).host == "10.1.2.3"
    for host, networks in (
        ("8.8.8.8", DEFAULT),
        ("localhost", "10.0.0.0/8"),
        ("10.1.2.3", "127.0.0.0/8"),
        ("10.0.0.1", ""),
    ):
        with pytest.raises(TargetNotAllowed) as refusal:
            pinned(target(host), networks, IDENTITY)
        assert "LOADSTONE_AGENT_TARGET_NETWORKS" in refusal.value.message
    assert pinned(target("8.8.8.8"), "public", IDENTITY).host == "8.8.8.8"


@pytest.mark.parametrize(
    ("field", "port"), [("port", 6390), ("port", 8090), ("read_port", 6390), ("plugin_port", 8090)]
)
def test_its_own_broker_and_api_are_no_target(field: str, port: int) -> None:
    with pytest.raises(TargetNotAllowed, match="own broker or api"):
        pinned(target("localhost", **{field: port}), ANY_NETWORK, IDENTITY)


def test_a_certificate_is_still_held_against_the_name() -> None:
    tls = Tls(server_name="localhost")
    allowed = pinned(target("localhost", tls=tls), DEFAULT, IDENTITY)
    assert (allowed.tls and allowed.tls.server_name) == "localhost"
    assert allowed.host != "localhost"


MARK = b"INNERSECRET"


@pytest.fixture(
    params=[b"HTTP/1.1 200 OK\r\n\r\n" + MARK, MARK + b"\r\n", b"-ERR " + MARK + b"\r\n", b"\x0a" + MARK * 30]
)
def chatty(request: pytest.FixtureRequest) -> Iterator[int]:
    """Something inside that is no store and tells everything to whoever asks."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(request.param)
            self.request.settimeout(1)
            try:
                while self.request.recv(1000):
                    self.request.sendall(request.param)
            except OSError:
                return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_driver_repeats_what_answered(kind: Any, chatty: int) -> None:
    result = check_target(external(kind, chatty))
    assert MARK.decode() not in json.dumps(result.model_dump())
    if not result.reachable:
        assert result.error is not None
        assert result.error.message
