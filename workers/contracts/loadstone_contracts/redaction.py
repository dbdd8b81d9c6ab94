"""What of a store's settings, command lines and logs may leave the host, decided per kind. Pure.

The agent applies it before it sends anything, the api again before it stores anything: an agent may be an older one.
A hidden value that was set reads `(set)`, so that a change from unset to set can still be seen.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

HIDDEN: Final = "(set)"
MASK: Final = "***"

SQL_HIDDEN: Final = frozenset({"init_connect", "init_replica", "init_slave", "report_user", "report_password"})
HIDDEN_SETTINGS: Final[Mapping[str, frozenset[str]]] = {
    "postgresql": frozenset(
        {
            *("primary_conninfo", "ssl_passphrase_command", "archive_command", "restore_command"),
            *("archive_cleanup_command", "recovery_end_command", "promote_trigger_file", "primary_slot_name"),
            *("dynamic_library_path", "local_preload_libraries", "krb_server_keyfile", "ssl_key_file"),
        }
    ),
    "mysql": SQL_HIDDEN | {"init_file", "mysqlx_ssl_key", "ssl_key", "admin_ssl_key"},
    "mariadb": SQL_HIDDEN | {"init_file", "ssl_key", "wsrep_sst_auth", "wsrep_provider_options", "wsrep_node_address"},
    "redis": frozenset(
        {
            *("requirepass", "masterauth", "masteruser", "primaryauth", "primaryuser", "user", "aclfile"),
            *("tls-key-file-pass", "tls-client-key-file-pass", "tls-key-file", "tls-client-key-file", "slaveof"),
            *("replicaof", "bind-source-addr"),
        }
    ),
    "mongodb": frozenset(),
    "memcached": frozenset({"auth_file", "sasl_pwdb"}),
    "memlink": frozenset(),
}
"""By kind: commands and connection strings that may hold anything, passwords, and where private keys lie."""
SAME_AS: Final = {"valkey": "redis", "ferretdb": "mongodb"}

SECRET_NAME: Final = re.compile(
    r"pass(?:word|wd|phrase)?(?![a-z])|pwd|secret|credential|conninfo|connection_?string|private_?key|key_?file_?pass"
    r"|api_?key|access_?key|(?<!default_)auth(?:string|_string)|bind_(?:dn|pwd|query)|querypassword|queryuser|(?<!max_)token",
    re.IGNORECASE,
)
"""Of any kind, plugins' own settings included."""
SHOWN_NAME: Final = re.compile(
    r"^(?:password_encryption|.*validate_password.*|.*password_(?:lifetime|history|reuse_interval|require_current)"
    r"|.*disconnect_on_expired_password|.*generate_random_password.*|authentication_timeout)$",
    re.IGNORECASE,
)
"""They read like a secret and are policies."""
PLAIN_VALUE: Final = re.compile(
    r"^(?:on|off|true|false|yes|no|none|enabled|disabled|allow|prefer|-?[0-9.]{1,12})?$", re.I
)
KNOWN_EXTENSIONS: Final = ("pg_stat_statements.", "auto_explain.", "plpgsql.", "pg_prewarm.", "pg_trgm.", "documentdb")
OWN_VALUES: Final = re.compile(r"\bls[taeshui]_[A-Za-z0-9_-]{20,}")

_NAMES = (
    r"[A-Za-z0-9_.-]*(?:password|passwd|passphrase|\bpwd|secret|token|credentials?|api[_-]?key|access[_-]?key"
    r"|requirepass|masterauth|primaryauth|key-file-pass|pgpass|redis_auth|redisauth|redisclauth|rediscli_auth)[A-Za-z0-9_.-]*"
)
_VALUE = r"(?:'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|[^\s,;&}\"']+)"
_PREFIX = r"(?<![A-Za-z0-9_])"
_RULES: Final = [
    # scheme://user:password@host: up to the last @ of the word, for a password may hold one.
    (re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9+.-]{0,30}://)[^\s\"'<>]*@"), rf"\1{MASK}@"),
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), MASK),
    (re.compile(r"(?i)(authorization\s*[:=]\s*(?:basic|bearer|digest)?\s*)\S+"), rf"\1{MASK}"),
    (
        re.compile(
            r"(?i)\b((?:identified\s+(?:with\s+\S+\s+)?(?:by|as)|password)\s+)'(?:[^'\\]|\\.|'')*'",
        ),
        rf"\1{MASK}",
    ),
    (re.compile(rf"(?i)({_NAMES}[\"']?\s*[=:]\s*){_VALUE}"), rf"\1{MASK}"),
    (re.compile(rf"(?i)({_PREFIX}--?(?:pass(?:word|wd)?|auth|a)[ \t]+){_VALUE}"), rf"\1{MASK}"),
    (
        re.compile(rf"(?i)({_PREFIX}(?:--)?(?:requirepass|(?:master|primary)auth|tls-key-file-pass)[ \t]+){_VALUE}"),
        rf"\1{MASK}",
    ),
]
_ACL_LINE = re.compile(r"(?m)^(?:\S*\s)?\s*user\s+\S+\s.*$")
"""Redis' access lists: `user ada on >password #hash ~* +@all`."""
_ACL_SECRET = re.compile(r"(?<=\s)[><#!]\S+")


def redact_text(text: str, known: Iterable[str] = ()) -> str:
    """`text` without passwords, tokens and keys: those that are `known`, and whatever reads like one."""
    for secret in known:
        if len(secret) >= MIN_KNOWN_CHARS:
            text = text.replace(secret, MASK)
    text = OWN_VALUES.sub(MASK, text)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return _ACL_LINE.sub(lambda line: _ACL_SECRET.sub(MASK, line[0]), text)


MIN_KNOWN_CHARS: Final = 4
"""A shorter secret would tear holes into every text and protect nothing."""


def redact_settings(kind: str, settings: Mapping[str, str], known: Iterable[str] = ()) -> dict[str, str]:
    """A store's configuration as it may be shown to whoever may see its results."""
    hidden = HIDDEN_SETTINGS.get(SAME_AS.get(kind, kind), frozenset())
    secrets = tuple(known)
    return {
        name: (HIDDEN if value else "") if _is_secret(kind, name, value, hidden) else redact_text(value, secrets)
        for name, value in settings.items()
    }


def _is_secret(kind: str, name: str, value: str, hidden: frozenset[str]) -> bool:
    last = name.rsplit(".", 1)[-1].lower()
    if last in hidden or name.lower() in hidden:
        return True
    if kind == "postgresql" and "." in name and not name.startswith(KNOWN_EXTENSIONS):
        # A setting of somebody's own: PostgreSQL does not know what it holds either.
        return True
    return bool(SECRET_NAME.search(name)) and not SHOWN_NAME.match(name) and not PLAIN_VALUE.match(value)


def redact_message(content: Any, known: Iterable[str] = ()) -> Any:
    """Every text within JSON, by `redact_text`; names stay."""
    secrets = tuple(known)
    if isinstance(content, str):
        return redact_text(content, secrets)
    if isinstance(content, Mapping):
        return {name: redact_message(value, secrets) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [redact_message(value, secrets) for value in content]
    return content
