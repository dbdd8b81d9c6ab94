"""Secrets handed out once: 256 random bits with a prefix that says what they open. Only their SHA-256 is stored."""

import hashlib
import secrets
from typing import Literal

TokenPrefix = Literal["lst_", "lsa_", "lse_", "lss_", "lsh_", "lsu_", "lsi_"]
"""API, agent, enrollment, browser session, link, link unlocked by its password, invitation."""


def new_token(prefix: TokenPrefix) -> str:
    return prefix + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """A plain hash is enough for 256 random bits: there is nothing to guess from."""
    return hashlib.sha256(token.encode()).hexdigest()
