"""Limits of size that no linter here knows: lines of a function and of a file."""

import ast
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ROOTS = ["backend", "workers/contracts", "workers/control", "workers/agent", "workers/cli", "deploy"]
FUNCTION_LINES_MAX = 50


def python_files() -> list[Path]:
    return [file for root in ROOTS for file in (REPOSITORY / root).rglob("*.py") if "target" not in file.parts]


def file_limit(file: Path) -> int:
    if "tests" in file.parts:
        return 500
    return 400 if file.stem in {"service", "repository"} else 300


def too_long_functions(file: Path) -> list[str]:
    """Length counts the body without its docstring: a docstring is for the reader."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = node.body[1].lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            lines = (node.end_lineno or node.lineno) - start + 1
            if lines > FUNCTION_LINES_MAX:
                found.append(f"{file.relative_to(REPOSITORY)}:{node.lineno} {node.name} has {lines} lines")
    return found


def test_functions_stay_short() -> None:
    assert [finding for file in python_files() for finding in too_long_functions(file)] == []


def test_files_stay_short() -> None:
    lengths = {file: len(file.read_text().splitlines()) for file in python_files()}
    assert {
        str(file.relative_to(REPOSITORY)): lines for file, lines in lengths.items() if lines > file_limit(file)
    } == {}
