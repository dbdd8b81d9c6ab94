"""Commands of custom operations: the golden cases that cargo reads too, and texts that nobody wrote down."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from loadstone_contracts.custom_commands import command_fault, command_rules

GOLDEN = Path(__file__).parents[1] / "golden/custom_commands.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
HIDDEN = ("pg_read_file(", "load_file(", "into outfile", "into dumpfile", "dblink(", "lo_import(", "query_to_xml(")
PARTS = (
    *(
        "SELECT ",
        "1",
        "'",
        "''",
        '"',
        "`",
        "\\",
        "/*",
        "*/",
        "/*!",
        "--",
        "#",
        ";",
        "$$",
        "$a$",
        "E'",
        "U&'",
        "\n",
        " ",
    ),
    *("{key}", "{value}", "@", ".", "(", ")", ",", " UNION SELECT ", " INTO ", "x", "AS ", "WITH ", "é", "\x00", "1e"),
)


def outside_quotes(command: str, quotes: str) -> str:
    kept, quote = "", ""
    for character in command.lower():
        if quote:
            quote = "" if character == quote else quote
        elif character in quotes:
            quote = character
        else:
            kept += character
    return kept


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['protocol']}-{case['command'][:40]}")
def test_golden_commands_are_accepted_and_refused(case: dict[str, Any]) -> None:
    fault = command_fault(case["protocol"], case["command"])
    assert (fault is None) is case["accepted"], fault
    assert fault is None or fault.endswith(".")


def test_the_golden_commands_reach_every_kind_of_refusal() -> None:
    faults = {command_fault(case["protocol"], case["command"]) for case in CASES if not case["accepted"]}
    for words in ("Comments", "one statement", "Variables", "whole values", "INTO", "belongs to the server", "call"):
        assert any(words in (fault or "") for fault in faults), words


@pytest.mark.parametrize("protocol", ["mysql_text", "postgres_simple"])
def test_no_mixture_of_quotes_and_comments_hides_a_function(protocol: Any) -> None:
    """What stands outside of texts in an accepted statement is read here by a second, simpler reader."""
    chance = random.Random(11)
    accepted = 0
    for _ in range(60_000):
        parts = [chance.choice(PARTS) for _ in range(chance.randrange(1, 9))]
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(HIDDEN) + "'x')")
        command = "SELECT " + "".join(parts)
        if command_fault(protocol, command) is None:
            accepted += 1
            outside = outside_quotes(command, "'\"`" if protocol == "mysql_text" else "'\"")
            assert not any(hidden in outside for hidden in HIDDEN), repr(command)
    assert accepted, "the mixtures are all refused: they prove nothing"


def test_no_rule_is_written_in_a_spelling_that_is_never_looked_up() -> None:
    rules = command_rules()
    upper = (rules.resp, rules.sql.functions, rules.sql.words_before_brackets, rules.sql.refused_words)
    assert all(word == word.upper() for words in upper for word in words)
    assert all(name == name.lower() for name in rules.sql.system_schemas)
    assert not rules.resp & {"EVAL", "CONFIG", "MODULE", "REPLICAOF", "SLAVEOF", "DEBUG", "SHUTDOWN", "ACL", "MIGRATE"}
