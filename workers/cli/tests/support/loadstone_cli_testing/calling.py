"""Calls the command line and keeps what it said."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest
from loadstone_cli.main import execute


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def error(self) -> dict[str, Any]:
        """What `--json` says on stderr when a command fails."""
        value: dict[str, Any] = json.loads(self.err.strip().splitlines()[-1])["error"]
        return value


class CommandLine:
    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(self, *arguments: str, stdin: str = "") -> Said:
        self._patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = execute(arguments)
        assert "Traceback" not in err.getvalue()
        return Said(code, out.getvalue(), err.getvalue())

    def ok(self, *arguments: str, stdin: str = "") -> Said:
        said = self(*arguments, stdin=stdin)
        assert said.code == 0, said.out + said.err
        return said
