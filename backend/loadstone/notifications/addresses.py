"""What an address of a channel may be, and which hosts this server may be sent to by one."""

import re
from typing import Final
from urllib.parse import quote, urlsplit

import apprise

from loadstone import outgoing
from loadstone.errors import AppError, Conflict
from loadstone.settings import get_settings

EMAIL = re.compile(r"[^@\s,;?&/:]+@[^@\s,;?&/:]+\.[^@\s,;?&/:]+")
EMAILS_MAX = 20
LOCAL_SERVICES: Final = frozenset(
    {"dbus", "glib", "gio", "gnome", "kde", "qt", "macosx", "windows", "syslog", "file", "blink1", "mqtt", "mqtts"}
)
"""They would reach into this server itself."""


class BadAddress(AppError):
    code = "bad_address"
    status = 422
    title = "The address cannot be used"


class AddressRefused(BadAddress):
    """Of this server's own network: a channel must not become a way into it."""

    code = "address_refused"


class MailNotConfigured(Conflict):
    code = "mail_not_configured"
    title = "This installation has no mail server"


def check_address(kind: str, address: str) -> None:
    """Raises BadAddress, AddressRefused, MailNotConfigured."""
    if kind == "webhook":
        resolve(web_host(address)[0])
    elif kind == "email":
        mail_url(address)
    else:
        service(kind, address)


def web_host(address: str) -> tuple[str, int]:
    """Host and port of an http address; raises BadAddress."""
    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise BadAddress("Write it as https://host/path.", path="address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or "\\" in address:
        raise BadAddress("Write it as https://host/path, without a user name.", path="address")
    return parts.hostname, port


def resolve(host: str) -> str:
    """One address of the host, which is the one to connect to; raises BadAddress, AddressRefused."""
    try:
        return outgoing.resolve(host)
    except outgoing.NotReachable as error:
        raise AddressRefused(error.detail, path="address") from error
    except outgoing.NoSuchHost as error:
        raise BadAddress(error.detail, path="address") from error


def mail_server() -> tuple[str, int] | None:
    """Host and port of the installation's own mail server, which may be anywhere."""
    server = get_settings().smtp_url
    if server is None:
        return None
    made = apprise.Apprise.instantiate(f"{server.get_secret_value()}", suppress_exceptions=True)
    host, port = getattr(made, "smtp_host", None), getattr(made, "port", None)
    secure = getattr(made, "secure", False)
    return (str(host), int(port or (587 if secure else 25))) if host else None


def mail_url(addresses: str) -> str:
    """The Apprise URL that sends to these; raises BadAddress, MailNotConfigured."""
    server = get_settings().smtp_url
    if server is None:
        raise MailNotConfigured("Whoever runs it sets LOADSTONE_SMTP_URL, such as mailtos://user:password@host:587.")
    found = [one.strip() for one in addresses.split(",") if one.strip()]
    if not 1 <= len(found) <= EMAILS_MAX or not all(EMAIL.fullmatch(one) for one in found):
        raise BadAddress(f"Write up to {EMAILS_MAX} e-mail addresses with commas between them.", path="address")
    url = server.get_secret_value()
    recipients = ",".join(quote(one, safe="@") for one in found)
    return f"{url}{'&' if '?' in url else '?'}to={recipients}"


def service(kind: str, address: str) -> apprise.NotifyBase:
    """The library's own object for an address; raises BadAddress, AddressRefused."""
    schema = urlsplit(address).scheme.lower() if "://" in address else ""
    if schema in LOCAL_SERVICES or schema.startswith("mailto"):
        raise BadAddress("This service is not available. For mail make a channel of the kind email.", path="address")
    made = apprise.Apprise.instantiate(address, suppress_exceptions=True)
    if not isinstance(made, apprise.NotifyBase):
        raise BadAddress("Apprise does not know such an address: see its list of services.", path="address")
    expected = {"slack": ("Slack",), "teams": ("MSTeams", "Workflows")}.get(kind)
    if expected is not None and not any(name.lower() in type(made).__name__.lower() for name in expected):
        raise BadAddress(f"This is no address of {kind.title()}: copy the one of its incoming webhook.", path="address")
    _check_host(kind, made.host)
    return made


def _check_host(kind: str, host: object) -> None:
    """Early, so that a person is told; what counts is the look when it connects. Tokens stand in the same place."""
    if not isinstance(host, str) or not host:
        return
    try:
        resolve(host)
    except AddressRefused:
        raise
    except BadAddress:
        if kind == "other" and "." in host:
            raise


def masked(kind: str, address: str) -> str:
    """The part that tells one address from another, without what opens it."""
    if kind == "email":
        names = [one.strip() for one in address.split(",") if one.strip()]
        return ", ".join(f"{one[:1]}***@{one.partition('@')[2]}" for one in names)
    parts = urlsplit(address)
    host = (parts.hostname or "") if kind != "other" else ""
    return f"{parts.scheme}://{host}{'/' if host else ''}***"
