"""Structured logs: JSON for machines, coloured lines on a terminal. The standard library's logs go the same way."""

import logging
import sys

import structlog
from loadstone_contracts.redaction import redact_text


def configure_logging(level: str = "INFO") -> None:
    """Call once a process, before anything logs."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    on_terminal = sys.stderr.isatty()
    last: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if on_terminal
        else structlog.processors.JSONRenderer()
    )
    # The console renderer formats tracebacks itself and warns when it is handed text.
    errors = [] if on_terminal else [structlog.processors.format_exc_info]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *errors, _without_secrets, last],
    )
    stream = logging.StreamHandler()
    stream.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [stream]
    root.setLevel(level)


def _without_secrets(
    _logger: object, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.ProcessorReturnValue:
    """A driver's error may hold a connection string, and a traceback whatever was at hand."""
    return {name: redact_text(value) if isinstance(value, str) else value for name, value in event.items()}
