"""Holds one managed store: whatever happens to the agent, neither store nor data directory outlives it.

Run as a program: `keeper.py DIRECTORY UID GID CPUS OPEN_FILES GROUP COMMAND...`. It makes the directory, runs the
command in it and in the control group whose list of processes GROUP is, and when its stdin ends (the agent closed it,
or died) kills the command's process group and wipes the directory. A `k` on stdin kills the store and leaves its
data, an `r` starts it again on them, with `LOADSTONE_RESTARTED` in its environment. On stdout: `started PID`,
`killed CODE`, and at the end `exited CODE` with the last output of the store.
Standard library only, and little of it: the start of this process is part of every trial's overhead.
"""

import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

PR_SET_PDEATHSIG = 1
LOG_TAIL_BYTES = 8192
KILL, RESTART = b"k", b"r"


class Stopped(Exception):
    """SIGTERM: the host is going down."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Stopped


def _become(uid: int, gid: int) -> None:
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)


def _raise_open_files(wanted: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted and os.geteuid() == 0:
        hard = wanted
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _join(group: str) -> None:
    descriptor = os.open(group, os.O_WRONLY)
    os.write(descriptor, b"0")
    os.close(descriptor)


class _Bounds:
    """What the store runs under."""

    def __init__(self, user: tuple[int, int], cpus: list[int], open_files: int, group: str) -> None:
        self.user = user
        self.cpus = cpus
        self.open_files = open_files
        self.group = group


def _exec_store(keeper: int, bounds: _Bounds, command: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # Python ignores SIGPIPE and a program inherits that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if bounds.cpus:
        os.sched_setaffinity(0, bounds.cpus)
    _raise_open_files(bounds.open_files)
    if bounds.group:
        _join(bounds.group)
    _become(*bounds.user)
    # After the change of user, which clears it.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(125)
    os.execv(command[0], command)  # noqa: S606


def _start(bounds: _Bounds, command: list[str]) -> tuple[int, int]:
    """The store's process id and the read end of its output."""
    keeper = os.getpid()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        try:
            _exec_store(keeper, bounds, command)
        except BaseException as error:  # noqa: BLE001 - a forked copy of the keeper must never run on
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(126)
    os.close(writer)
    return pid, reader


class _Tail:
    """The last bytes of what the store wrote."""

    def __init__(self, output: int) -> None:
        os.set_blocking(output, False)
        self.output = output
        self.kept = b""

    def read(self) -> bool:
        """False at the end."""
        try:
            data = os.read(self.output, 65536)
        except BlockingIOError:
            return True
        self.kept = (self.kept + data)[-LOG_TAIL_BYTES:]
        return bool(data)


def _watch(pid: int, tail: _Tail) -> bytes:
    """Returns what the agent asked for; nothing when the store has ended or nobody wants it any more."""
    ended = os.pidfd_open(pid)
    poll = select.poll()
    for descriptor in (0, tail.output, ended):
        poll.register(descriptor, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == 0:
                return os.read(0, 1)
            if descriptor == ended:
                return b""
            if not tail.read():
                poll.unregister(tail.output)


def _kill(pid: int) -> int:
    """The exit code, negative for a signal.

    SIGKILL and no SIGTERM before it: the data directory is wiped, so nothing that a store saves on its way out
    is of use, and some take their time for it.
    """
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _wipe(directory: str) -> None:
    """A killed child of the store may finish a last system call, so a second look can be needed."""
    for _ in range(100):
        try:
            return _remove_tree(directory)
        except OSError:
            time.sleep(0.01)
    return _remove_tree(directory)


def _remove_tree(directory: str) -> None:
    for folder, folders, files in os.walk(directory, topdown=False):
        for name in files:
            os.unlink(os.path.join(folder, name))  # noqa: PTH108, PTH118 - pathlib costs milliseconds to import
        for name in folders:
            path = os.path.join(folder, name)  # noqa: PTH118
            (os.unlink if os.path.islink(path) else os.rmdir)(path)  # noqa: PTH114
    os.rmdir(directory)  # noqa: PTH106


def _say(text: bytes) -> None:
    try:
        os.write(1, text)
    except OSError:
        # The agent is gone; what is left to do is to clean up.
        return


def _drain(tail: _Tail) -> None:
    while tail.read() and select.select([tail.output], [], [], 0)[0]:
        pass


def _keep(start: Callable[[], tuple[int, int]]) -> tuple[int, _Tail]:
    """The exit code and the last output of the store that was started last."""
    pid, output = start()
    tail = _Tail(output)
    try:
        _say(b"started %d\n" % pid)
        while _watch(pid, tail) == KILL:
            _say(b"killed %d\n" % _kill(pid))
            pid = 0
            if os.read(0, 1) != RESTART:
                break
            os.environ["LOADSTONE_RESTARTED"] = "1"
            pid, output = start()
            tail = _Tail(output)
            _say(b"started %d\n" % pid)
    except Stopped:
        pass
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = _kill(pid) if pid else -signal.SIGKILL
    _drain(tail)
    return code, tail


def main(arguments: list[str]) -> None:
    directory, uid, gid, cpus, open_files, group, *command = arguments
    user = (int(uid), int(gid))
    os.umask(0o077)
    os.mkdir(directory, 0o700)  # noqa: PTH102
    os.chown(directory, *user)
    os.chdir(directory)
    # Tells a sweep of leftovers that this directory has an owner.
    fcntl.flock(os.open(directory, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_EX)
    signal.signal(signal.SIGTERM, _stop)
    pinned = [int(cpu) for cpu in cpus.split(",") if cpu]
    bounds = _Bounds(user, pinned, int(open_files), group)
    code, tail = _keep(lambda: _start(bounds, command))
    os.chdir("/")
    _wipe(directory)
    _say(b"exited %d\n" % code + tail.kept)


if __name__ == "__main__":
    main(sys.argv[1:])
