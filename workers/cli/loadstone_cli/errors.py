"""How a command ends: the exit codes, and the one exception that carries them."""

from enum import IntEnum
from typing import Any


class Exit(IntEnum):
    """What scripts may rely on."""

    OK = 0
    GATE_FAILED = 1
    REFUSED = 2
    NO_ACCESS = 3
    RUN_FAILED = 4
    NOT_FOUND = 5
    UNDECIDED = 6
    BROKEN = 7
    INTERRUPTED = 130


MEANINGS = {
    Exit.OK: "done; the comparison passed",
    Exit.GATE_FAILED: "the comparison failed its gate (--fail-on)",
    Exit.REFUSED: "wrong usage, or the plan or the request was refused",
    Exit.NO_ACCESS: "the service cannot be reached, or does not let you in",
    Exit.RUN_FAILED: "the run failed, crashed or was cancelled",
    Exit.NOT_FOUND: "nothing has that name or id",
    Exit.UNDECIDED: "no answer yet: --timeout ran out, or no cell of the comparison could be judged",
    Exit.BROKEN: "the service is at fault",
    Exit.INTERRUPTED: "interrupted",
}


class CommandFailed(Exception):
    """Ends the command with one sentence and an exit code; `problem` is the api's own words, if it was the api."""

    def __init__(self, exit_code: Exit, code: str, message: str, problem: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.code = code
        self.message = message
        self.problem = problem or {}

    def as_json(self) -> dict[str, Any]:
        """The shape that `--json` prints on stderr."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "exit_code": int(self.exit_code),
                "errors": self.problem.get("errors") or [],
            }
        }


def not_found(what: str) -> CommandFailed:
    return CommandFailed(Exit.NOT_FOUND, "not_found", what)


def refused(code: str, message: str) -> CommandFailed:
    return CommandFailed(Exit.REFUSED, code, message)
