"""A store's data directory: made, filled, wiped."""

import fcntl
import os
import time
from collections.abc import Callable

from loadstone_agent.keeper.order import Order

COPY = ("/bin/cp", "-a", "--reflink=auto")
REMOVE = ("/bin/rm", "-rf", "--one-file-system", "--")
SHELL = "/bin/sh"

RunAsStore = Callable[[list[str]], tuple[int, bytes]]
"""Runs a command under the store's limits; its exit code and last output."""


class Unprepared(Exception):
    """The data directory could not be made; the exit code and the output of what failed."""

    def __init__(self, code: int, output: bytes) -> None:
        super().__init__(f"exit code {code}")
        self.code = code
        self.output = output


def make(order: Order) -> None:
    """An empty one, as the current directory. Its lock tells a sweep of leftovers that it has an owner."""
    os.umask(0o077)
    os.mkdir(order.directory, 0o700)  # noqa: PTH102
    os.chown(order.directory, *order.user)
    os.chdir(order.directory)
    fcntl.flock(os.open(order.directory, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_EX)


def fill(order: Order, run_as_store: RunAsStore) -> None:
    """From the template where there is one; else by the store's own tools, and kept as the template.

    Only the keeper reads and writes templates: a store that is taken over can't leave anything for the next one.
    Raises Unprepared.
    """
    if order.template and os.path.isdir(order.template):  # noqa: PTH112 - pathlib costs the keeper milliseconds
        _copy(f"{order.template}/.", ".")
    elif order.prepare:
        code, output = run_as_store([SHELL, "-c", order.prepare])
        if code != 0:
            raise Unprepared(code, output)
        if order.template:
            _keep(order.template)
    for name, text in order.private_files.items():
        _write_private(name, text, order.user)


def _keep(template: str) -> None:
    """A copy that is cut short never gets the template's name. Without a template the next start makes its own."""
    unfinished = f"{template}.{os.getpid()}"
    try:
        _copy(".", unfinished)
        os.rename(unfinished, template)  # noqa: PTH104
    except (OSError, Unprepared):
        if os.path.isdir(unfinished):  # noqa: PTH112
            _remove_tree(unfinished)


def _copy(source: str, destination: str) -> None:
    """Keeps owners and modes. Raises Unprepared."""
    reader, writer = os.pipe()
    to_pipe = [(os.POSIX_SPAWN_DUP2, writer, 2)]
    pid = os.posix_spawn(COPY[0], [*COPY, source, destination], os.environ, file_actions=to_pipe)
    os.close(writer)
    with open(reader, "rb") as errors:  # noqa: PTH123
        output = errors.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != 0:
        raise Unprepared(code, output)


def _write_private(name: str, text: str, user: tuple[int, int]) -> None:
    """Anew, never through a link that lies there."""
    if os.path.lexists(name):
        os.unlink(name)  # noqa: PTH108
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    os.write(descriptor, text.encode())
    os.fchown(descriptor, *user)
    os.close(descriptor)


def wipe(directory: str) -> None:
    """Removes it with everything in it; nothing happens where it is gone. Raises OSError.

    A killed process may finish a last system call, so a second look can be needed.
    """
    for _ in range(100):
        try:
            return _remove_tree(directory)
        except OSError:
            time.sleep(0.01)
    return _remove_tree(directory)


def _remove_tree(directory: str) -> None:
    """By `rm`, which follows no link and needs no stack: folders a thousand deep end Python's own walks.

    Raises OSError.
    """
    pid = os.posix_spawn(REMOVE[0], [*REMOVE, directory], os.environ)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
        raise OSError(f"{directory} could not be removed")
