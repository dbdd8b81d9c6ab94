"""The one door: whatever a notification's library does, it connects to no address of this service's own networks."""

import smtplib
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import apprise
import httpx2
import pytest
import requests
from loadstone import outgoing
from loadstone.notifications import sending
from loadstone.settings import get_settings
from loadstone_contracts.networks import is_never_reached, is_public, is_reachable, parse_address, parse_networks
from loadstone_testing.receivers import WebReceiver, web_receiver

INSIDE = [
    *("127.0.0.1", "::1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "fc00::1", "fd12::1", "100.64.0.1", "198.18.0.1"),
    *("192.0.0.8", "192.0.0.192", "192.0.2.1", "203.0.113.1", "169.254.169.254", "fd00:ec2::254", "fe80::1%eth0"),
    *("0.0.0.0", "255.255.255.255", "224.0.0.1", "ff02::1", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::1", "2001:0:7f00:1::", "2001:db8::1"),
    *("240.0.0.1", "100.100.100.200", "fec0::1"),
]  # fmt: skip
SWALLOWED = (OSError, httpx2.HTTPError, requests.RequestException)
NEVER = ["169.254.169.254", "fd00:ec2::254", "192.0.0.192", "fe80::1", "0.0.0.0", "224.0.0.1", "64:ff9b::a9fe:a9fe"]


@pytest.fixture
def settings(settings_in_environment: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    get_settings.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    get_settings.cache_clear()


@pytest.mark.parametrize("address", INSIDE)
def test_no_address_of_an_inside_network_is_public(address: str) -> None:
    assert not is_public(parse_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8"])
def test_the_internet_is(address: str) -> None:
    assert is_public(parse_address(address))


@pytest.mark.parametrize("address", NEVER)
def test_what_is_never_reached_is_not_reached_by_naming_everything(address: str) -> None:
    assert is_never_reached(parse_address(address))
    assert not is_reachable(parse_address(address), parse_networks("0.0.0.0/0, ::/0"))


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f000001", "2130706433", "169.254.169.254", "[::1]", "::1"])
def test_a_name_is_judged_by_what_it_means(settings: pytest.MonkeyPatch, host: str) -> None:
    with pytest.raises((outgoing.NotReachable, outgoing.NoSuchHost)):
        outgoing.resolve(host)


def test_a_network_that_was_named_is_reached(settings: pytest.MonkeyPatch) -> None:
    settings.setenv("LOADSTONE_NOTIFY_NETWORKS", "127.0.0.0/30")
    get_settings.cache_clear()
    assert outgoing.resolve("127.0.0.1") == "127.0.0.1"
    with pytest.raises(outgoing.NotReachable):
        outgoing.resolve("10.0.0.1")


@pytest.fixture
def inside() -> Iterator[WebReceiver]:
    with web_receiver(WebReceiver()) as receiver:
        yield receiver


def datagram(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.sendto(b"x", ("127.0.0.1", port))


def socket_file() -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/x")


def test_no_library_connects_inside(settings: pytest.MonkeyPatch, inside: WebReceiver) -> None:
    """The name is looked up by the library itself: what it means by then is what counts."""
    url = f"http://localhost:{inside.port}/"
    tries = [
        lambda: requests.post(url, timeout=5),
        lambda: httpx2.post(url, timeout=5),
        lambda: socket.create_connection(("localhost", inside.port), 5),
        lambda: smtplib.SMTP("localhost", inside.port, timeout=5),
        lambda: datagram(inside.port),
        socket_file,
    ]
    for act in tries:
        with pytest.raises(outgoing.NotReachable), outgoing.door(5), suppress(*SWALLOWED):
            act()
    with pytest.raises(outgoing.DoorShut), outgoing.door(5):
        subprocess.run(["/bin/true"], check=False)
    assert inside.received == []
    assert requests.post(url, timeout=5).status_code == 200, "outside of the door nothing is in the way"


@pytest.mark.parametrize(
    "scheme",
    ["json", "xml", "form", "gotify", "ntfy", "matrix", "rocket", "mmost", "nctalk", "apprise", "workflow", "kodi"],
)
def test_no_service_of_apprise_connects_inside(settings: pytest.MonkeyPatch, inside: WebReceiver, scheme: str) -> None:
    urls = [
        f"{scheme}://user:tok@localhost:{inside.port}/aaaaaaaaaaaaaaaaaaaaaaaa/b",
        f"{scheme}://localhost:{inside.port}/{'a' * 24}",
    ]
    for url in urls:
        sender = apprise.Apprise()
        if not sender.add(url):
            continue
        try:
            with outgoing.door(10):
                sender.notify(body="x", title="y")
        except outgoing.NotReachable:
            pass
    assert inside.received == []


def test_no_redirect_is_followed_and_of_an_answer_the_beginning_is_read(
    settings: pytest.MonkeyPatch, inside: WebReceiver
) -> None:
    settings.setenv("LOADSTONE_NOTIFY_NETWORKS", "127.0.0.1/32")
    get_settings.cache_clear()
    inside.answers, inside.redirect_to = [302], f"http://127.0.0.1:{inside.port}/elsewhere"
    inside.text = b"x" * (sending.ANSWER_BYTES_MAX * 4)
    with outgoing.door(10):
        answer = requests.post(inside.url, timeout=5)
    assert (answer.status_code, len(answer.content)) == (302, sending.ANSWER_BYTES_MAX)
    assert [one.path for one in inside.received] == ["/hook?key=1"]


def test_everything_ends_after_a_time(settings: pytest.MonkeyPatch) -> None:
    """The other side sends a byte of its headers now and then, for ever."""
    settings.setenv("LOADSTONE_NOTIFY_NETWORKS", "127.0.0.1/32")
    get_settings.cache_clear()
    ends = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            link, _ = server.accept()
            with link:
                try:
                    link.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                    while not ends.wait(0.1):
                        link.sendall(b"y")
                except OSError:
                    return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        started_at = time.monotonic()
        with suppress(*SWALLOWED), outgoing.door(1.0):
            requests.post(f"http://127.0.0.1:{server.getsockname()[1]}/", timeout=5)
        assert time.monotonic() - started_at < 15
        ends.set()
        thread.join(5)
