"""Commands as somebody has to type them for this very agent: its program, its directory, its user."""

import os
import pwd
import shlex
import shutil
import sysconfig
from pathlib import Path

from loadstone_agent.settings import default_agent_dir, get_settings

PROGRAM = "loadstone-agent"
ON_EVERY_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
NO_LOGIN = ("nologin", "false")


def typed_here(command: str) -> str:
    """`loadstone-agent …` and `apt-get …` as they reach this agent when copied into a shell; other text as it is."""
    program, _, arguments = command.partition(" ")
    if program == PROGRAM:
        return " ".join(filter(None, (_as_its_user(), _in_its_directory(), _own_program(), arguments)))
    if program == "apt-get":
        return " ".join(filter(None, (_as_root(), command)))
    return command


def _own_program() -> str:
    """By its whole path where a shell would not find it, as in a virtual environment."""
    scripts = Path(sysconfig.get_path("scripts"))
    return PROGRAM if str(scripts) in ON_EVERY_PATH else shlex.quote(str(scripts / PROGRAM))


def _as_root() -> str:
    return "sudo" if shutil.which("sudo") else ""


def _as_its_user() -> str:
    """Nothing where the agent runs as a person, who types for himself."""
    account = _account()
    if account is None:
        return ""
    if account.pw_uid == 0:
        return _as_root()
    if Path(account.pw_shell).name not in NO_LOGIN:
        return ""
    name = shlex.quote(account.pw_name)
    return f"sudo -u {name}" if shutil.which("sudo") else f"runuser -u {name} --"


def _account() -> pwd.struct_passwd | None:
    """A container may run as a number that no account has."""
    try:
        return pwd.getpwuid(os.geteuid())
    except KeyError:
        return None


def _in_its_directory() -> str:
    """By `env`, because sudo passes no variables on. Another user's default would be another directory."""
    directory = get_settings().agent_dir.absolute()
    if not _as_its_user() and directory == default_agent_dir():
        return ""
    return f"env LOADSTONE_AGENT_DIR={shlex.quote(str(directory))}"
