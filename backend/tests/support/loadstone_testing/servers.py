"""A PostgreSQL cluster for the whole pytest run, shared by its workers, and a Redis for each worker."""

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import redis
from loadstone_local.paths import ordinary_user
from loadstone_local.secrets_file import free_port
from loadstone_local.servers import postgres_binaries, redis_binary

START_TIMEOUT_S = 120.0


@contextmanager
def shared_postgres(shared_dir: Path) -> Iterator[Path]:
    """The cluster's socket folder. The first worker starts the server, the last one to leave stops it."""
    with (shared_dir / "postgres.users").open("w") as users:
        with _only_one(shared_dir):
            fcntl.flock(users, fcntl.LOCK_SH)
            home = _running_postgres(shared_dir) or _start_postgres(shared_dir)
        try:
            yield home
        finally:
            with _only_one(shared_dir):
                fcntl.flock(users, fcntl.LOCK_UN)
                if _is_last(users.fileno()):
                    _stop_postgres(shared_dir, home)


@contextmanager
def _only_one(shared_dir: Path) -> Iterator[None]:
    with (shared_dir / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_last(users: int) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _running_postgres(shared_dir: Path) -> Path | None:
    note = shared_dir / "postgres.home"
    return Path(note.read_text()) if note.exists() else None


def _start_postgres(shared_dir: Path) -> Path:
    # A socket's path may have 107 characters at most, which pytest's own folders come near.
    home = Path(tempfile.mkdtemp(prefix="loadstone-pg-"))
    user = ordinary_user()
    if user is not None:
        os.chown(home, pwd.getpwnam(user).pw_uid, -1)
    binaries = postgres_binaries()
    data = home / "data"
    initdb: list[str | Path] = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "loadstone",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-sync",
    ]
    subprocess.run([*initdb, "--locale=C.UTF-8"], user=user, cwd="/", check=True, capture_output=True)
    options = {
        "listen_addresses": "",
        "unix_socket_directories": str(home),
        "max_connections": "200",
        # The data is thrown away: nothing has to survive a crash.
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
    }
    arguments = " ".join(f"-c {name}={value}" for name, value in options.items())
    pg_ctl: list[str | Path] = [
        binaries / "pg_ctl",
        "-D",
        data,
        "-l",
        home / "server.log",
        "-w",
        "-o",
        arguments,
        "start",
    ]
    subprocess.run(pg_ctl, user=user, cwd="/", check=True, stdout=subprocess.DEVNULL)
    (shared_dir / "postgres.home").write_text(str(home))
    return home


def _stop_postgres(shared_dir: Path, home: Path) -> None:
    pg_ctl: list[str | Path] = [postgres_binaries() / "pg_ctl", "-D", home / "data", "-m", "fast", "-w", "stop"]
    subprocess.run(pg_ctl, user=ordinary_user(), cwd="/", check=True, stdout=subprocess.DEVNULL)
    (shared_dir / "postgres.home").unlink()
    shutil.rmtree(home, ignore_errors=True)


@contextmanager
def own_redis(program: Sequence[str] = ()) -> Iterator[str]:
    """The url of a fresh server on a free loopback port."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="loadstone-redis-") as home:
        command: list[str | Path] = [
            *(program or [redis_binary()]),
            "--bind",
            "127.0.0.1",
            "--port",
            str(port),
            "--dir",
            home,
        ]
        server = subprocess.Popen([*command, "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
        try:
            _wait_for_redis(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait(60)


def _wait_for_redis(port: int) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    with redis.Redis(port=port) as client:
        while True:
            try:
                client.ping()
            except redis.RedisError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return
