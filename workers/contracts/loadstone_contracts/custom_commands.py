"""What the command of a `custom` operation may be, by protocol.

A command is data that a store reads, never a program: one statement or command, from an allow-list, without anything
that names a file, another server, another user's data or the server's own settings. The engine checks the same rules
(`spec/src/custom.rs`; both sides read the same list and the same golden cases), for external targets too. A managed
store refuses the rest besides: its role is an ordinary one.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from loadstone_contracts.engine_plan import StoreProtocol

MYSQL: tuple[StoreProtocol, ...] = ("mysql", "mysql_text")
POSTGRES: tuple[StoreProtocol, ...] = ("postgres", "postgres_simple")
RESP: tuple[StoreProtocol, ...] = ("redis", "redis_resp3", "redis_cluster")
PLACE = re.compile(r"\{(?:key|value|value_size)\}")
SQL_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<place>(?<![A-Za-z0-9_'"`}])\{(?:key|value)\}(?![A-Za-z0-9_'"`{.(]))
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>(?:0x[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![A-Za-z0-9_.]))
    |(?P<text>'(?:[^'\\\x00-\x1f\x7f]|'')*')
    |(?P<quoted>"[ !#-\[\]-~]*"|`[ -\[\]-_a-~]*`)
    |(?P<comment>--|/\*|\*/)
    |(?P<symbol>[!%&()*+,\-./:<=>?\[\]^|~@\#;])""",
    re.VERBOSE,
)
NAMES = ("word", "quoted")


class _Memcached(BaseModel):
    one_line: frozenset[str]
    with_value: dict[str, int]
    """Which word of the line tells the size of the value behind it."""


class _Sql(BaseModel):
    first_words: dict[str, frozenset[str]]
    before_into: frozenset[str]
    refused_words: frozenset[str]
    system_schemas: frozenset[str]
    functions: frozenset[str]
    words_before_brackets: frozenset[str]


class CommandRules(BaseModel):
    """`custom_commands.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    resp: frozenset[str]
    resp_pairs: dict[str, frozenset[str]]
    memcached: _Memcached
    sql: _Sql


@cache
def command_rules() -> CommandRules:
    text = resources.files(__package__).joinpath("custom_commands.json").read_text(encoding="utf-8")
    return CommandRules.model_validate_json(text)


def command_fault(protocol: StoreProtocol, command: str) -> str | None:
    """Why this command must not be sent, as a sentence that says what to do; None when it may."""
    if protocol in RESP:
        return _resp_fault(command)
    if protocol == "memcached":
        return _memcached_fault(command)
    if protocol in MYSQL:
        return _sql_fault("mysql", command)
    return _sql_fault("postgres", command) if protocol in POSTGRES else None


def _resp_fault(command: str) -> str | None:
    words = command.split()
    if not words:
        return "The command is empty: write what to send."
    rules = command_rules()
    first = words[0].upper()
    if first in rules.resp:
        return None
    second = words[1].upper() if len(words) > 1 else ""
    if second in rules.resp_pairs.get(first, ()):
        return None
    return f"{_shown(words[0])} is not a command that a workload may send: use one that reads or writes keys."


def _memcached_fault(command: str) -> str | None:
    rules = command_rules().memcached
    line, *rest = command.split("\r\n")
    words = line.split(" ")
    if re.search(r"[\x00-\x1f\x7f]", line + "".join(rest)) or any(word.startswith("@@") for word in words):
        return "A command of memcached is one line: remove control characters, and names that begin with @@."
    if words[0] in rules.one_line:
        return "Send one command at a time: remove the second line." if rest else None
    place = rules.with_value.get(words[0])
    if place is None:
        return f"{_shown(words[0])} is not a command that a workload may send: use one that reads or writes keys."
    size = words[place] if len(words) > place else ""
    if len(rest) == 1 and (size, rest[0]) == ("{value_size}", "{value}"):
        return None
    if len(rest) == 1 and not PLACE.search(rest[0]) and size == str(len(rest[0].encode())):
        return None
    return "The size must be that of the value in the second line: use {value_size} and {value}."


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def upper(self) -> str:
        """Of a word; empty for everything else, so that a quoted name is no keyword."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        return self.text.strip('"`').lower() if self.kind in NAMES else ""


END = _Token("end", "")


def _sql_fault(dialect: str, command: str) -> str | None:
    tokens = list(_sql_tokens(dialect, command))
    if tokens and tokens[-1].kind == "fault":
        return tokens[-1].text
    rules = command_rules().sql
    if not tokens or tokens[0].upper not in rules.first_words[dialect]:
        return f"A custom statement begins with {', '.join(sorted(rules.first_words[dialect]))}: rewrite it so."
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else END
        behind = tokens[place + 1] if place + 1 < len(tokens) else END
        if fault := _word_fault(token, before, behind):
            return fault
        if token.kind in NAMES and behind.text == "(" and not _may_be_called(tokens, place):
            return f"{token.text} is not a function that a statement may call: leave it out."
    return None


def _sql_tokens(dialect: str, command: str) -> Iterator[_Token]:
    """Tokens without spaces; the last one is a `fault` where two servers might read the text in two ways."""
    at, text = 0, command.rstrip(" \t\r\n").removesuffix(";")
    while at < len(text):
        found = SQL_TOKEN.match(text, at)
        if found is None:
            yield _Token(
                "fault", f"{_shown(text[at])} is not allowed here: use plain names, texts in '...' and places."
            )
            return
        token = _Token(found.lastgroup or "", found[0])
        if fault := _token_fault(dialect, token):
            yield _Token("fault", fault)
            return
        if token.kind != "space":
            yield token
        at = found.end()


def _token_fault(dialect: str, token: _Token) -> str | None:
    if token.kind == "comment" or (dialect == "mysql" and token.text == "#"):
        return "Comments are not allowed in a custom statement: remove them."
    if token.text == ";":
        return "Send one statement at a time: remove what stands behind the semicolon."
    if dialect == "postgres" and token.text.startswith("`"):
        return 'PostgreSQL quotes names by "...": replace the backquotes.'
    if dialect == "mysql" and token.text == "@":
        return "Variables are not allowed in a custom statement: remove what begins with @."
    if token.kind in ("text", "quoted") and PLACE.search(token.text):
        return "{key} and {value} stand for whole values: remove the quotes around them."
    return None


def _word_fault(token: _Token, before: _Token, behind: _Token) -> str | None:
    rules = command_rules().sql
    if token.upper == "INTO" and before.upper not in rules.before_into:
        return "INTO is for INSERT only: a statement must not write to files, variables or new tables."
    if token.upper in rules.refused_words:
        return f"{token.upper} is not allowed in a custom statement: rewrite it without."
    is_schema = behind.text == "." and token.name in rules.system_schemas
    if is_schema or token.name.startswith("pg_"):
        return f"{token.text} belongs to the server: use tables of the target's own database."
    return None


def _is_list_of_names(tokens: list[_Token]) -> bool:
    """`a, b)`: columns, and no arguments."""
    for place, token in enumerate(tokens):
        if place % 2:
            if token.text != ",":
                return token.text == ")"
        elif token.kind not in NAMES:
            return False
    return False


def _may_be_called(tokens: list[_Token], place: int) -> bool:
    """Whether an opening bracket may follow: a keyword, a known function, or a table with its columns."""
    rules = command_rules().sql
    start = place
    while start >= 2 and tokens[start - 1].text == "." and tokens[start - 2].kind in NAMES:
        start -= 2
    before = tokens[start - 1].upper if start else ""
    if before in ("INTO", "WITH", "RECURSIVE", "AS"):
        return _is_list_of_names(tokens[place + 2 :])
    is_qualified = tokens[place - 1].text == "." if place else False
    word = tokens[place].upper
    return not is_qualified and word in rules.functions | rules.words_before_brackets
