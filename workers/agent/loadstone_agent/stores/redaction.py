"""Nothing that a trial's report carries may open anything: its texts and settings pass here before they leave."""

import re
from collections.abc import Iterable, MutableMapping
from typing import Any

from loadstone_contracts.agent_calls import CheckFinishRequest, FinishRequest, StoreFacts, TrialError
from loadstone_contracts.redaction import redact_settings, redact_text


def redact_facts(facts: StoreFacts, known: Iterable[str] = ()) -> StoreFacts:
    return facts.model_copy(update={"settings": redact_settings(facts.kind, facts.settings, known)})


def redact_error(error: TrialError, known: Iterable[str] = ()) -> TrialError:
    """`known` are passwords of the target."""
    secrets = tuple(known)
    return error.model_copy(
        update={"message": redact_text(error.message, secrets), "detail": redact_text(error.detail, secrets)}
    )


def redact_finish(request: FinishRequest, known: Iterable[str] = ()) -> FinishRequest:
    secrets = tuple(known)
    return request.model_copy(
        update={
            "error": redact_error(request.error, secrets) if request.error else None,
            "warnings": [redact_error(warning, secrets) for warning in request.warnings],
            "store": redact_facts(request.store, secrets) if request.store else None,
            "command_lines": [redact_text(line, secrets) for line in request.command_lines],
        }
    )


FAULTS = {
    r"connection refused": "The connection was refused.",
    r"timed? ?out": "There was no answer in time.",
    r"reset by peer|broken pipe|closed (?:by|the) |eof|unexpected end": "The connection was closed.",
    r"no route|unreachable": "There is no way to the host.",
    r"certificate verify failed|certificate.*(?:expired|unknown|invalid)": "The certificate cannot be verified.",
    r"hostname mismatch|not valid for": "The certificate is another host's.",
    r"wrong version number|record layer|\bssl\b|\btls\b|handshake": "TLS cannot be agreed on.",
    r"noauth|wrongpass|access denied|authentication failed|auth failed|password": "User or password is wrong.",
    r"noperm|permission|denied|not authorized|unauthorized": "This user may not do that.",
    r"does not exist|unknown database": "The database does not exist.",
    r"read.?only": "The server takes no writes.",
    r"out of memory|oom|maxmemory|max_connections|too many": "The server has reached a limit of its own.",
    r"parse|protocol|unexpected|invalid|malformed|unknown command|decode": "The answer is not of this protocol.",
}
"""What a driver's text may be told as, the first that fits."""


def named_fault(text: str) -> str:
    """What went wrong, in words of our own: a server that is no store could be read through its errors otherwise."""
    found = (said for pattern, said in FAULTS.items() if re.search(pattern, text, re.IGNORECASE))
    return next(found, "") if text else ""


ECHOING = ("target_refused", "target_unreachable", "target_lost", "engine_internal", "settings_unreadable")
"""Codes of errors whose words may come from the other side."""
ENGINE_SENTENCES = {
    "target_refused": "The target refused the engine: check user, password, protocol and what this user may do.",
    "target_unreachable": "The target does not answer the engine: check address, port, protocol and TLS.",
    "target_lost": "The target went away while it was measured: look at its own log.",
    "engine_internal": "The engine failed: look at the agent's log on its host.",
}
OWN_START = re.compile(
    r"^(?:Redis|memcached|Memlink|MongoDB|MySQL|MariaDB|PostgreSQL|FerretDB|Valkey)\b"
    r"|^(?:The external target|There is no host)\b"
)
"""Sentences of the agent itself; an engine's may quote what it was told."""


def unechoed(error: TrialError) -> TrialError:
    """The error of an external target, without a byte of what answered there."""
    if error.code not in ECHOING:
        return error
    own = OWN_START.match(error.message) is not None or error.code not in ENGINE_SENTENCES
    message = error.message if own else ENGINE_SENTENCES[error.code]
    return error.model_copy(update={"message": message, "detail": named_fault(error.detail or error.message)})


def unechoed_finish(request: FinishRequest) -> FinishRequest:
    return request.model_copy(
        update={
            "error": unechoed(request.error) if request.error else None,
            "warnings": [unechoed(warning) for warning in request.warnings],
        }
    )


def told_version(version: str) -> str:
    """A version as versions are written, and nothing else that somebody could put in its place."""
    found = re.match(r"[0-9]+(?:\.[0-9]+){0,3}[A-Za-z0-9.+~-]{0,20}", version)
    return found[0] if found else "unknown"


def redact_check(request: CheckFinishRequest, known: Iterable[str] = ()) -> CheckFinishRequest:
    error = redact_error(request.error, known) if request.error else None
    return request.model_copy(update={"error": error})


def redact_event(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor of structlog, after what formats tracebacks."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = redact_text(value)
    return event
