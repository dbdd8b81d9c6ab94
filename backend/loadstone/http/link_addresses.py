"""Addresses that hold a secret: they open something to whoever has them, so they are not passed on or written down."""

import re

_WITH_SECRET = re.compile(r"^(/s/|/embed/|/invite/|/api/v1/shared/|/api/v1/invitations/by-token/)[^/]+")
NOT_PASSED_ON = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
EMBEDDED = "/embed/"


def without_secret(path: str) -> str:
    """As it may stand in a log."""
    return _WITH_SECRET.sub(r"\1***", path)


def link_headers(path: str, policy: str) -> dict[str, str]:
    """What such an address adds to everybody's headers; `policy` is the content security policy of the pages.

    Only the embedded page may stand in a frame of another site: it shows one link and holds no session.
    """
    if not _WITH_SECRET.match(path):
        return {}
    if path.startswith(EMBEDDED):
        return {
            **NOT_PASSED_ON,
            "Content-Security-Policy": re.sub(r"frame-ancestors [^;]*", "frame-ancestors *", policy),
        }
    return NOT_PASSED_ON
