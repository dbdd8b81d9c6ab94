"""Starts a program under its limits, and ends everything that it has started."""

import ctypes
import os
import resource
import signal
import time

from loadstone_agent.keeper.landlock import Confinement, drop_capabilities, forgo_privileges
from loadstone_agent.keeper.order import Order

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
KILL_WITHIN_S = 5.0

_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """What a store starts and abandons becomes this process's child: `setsid` and a double fork lead nowhere."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(order: Order, command: list[str]) -> tuple[int, int]:
    """The program's process id and the read end of its output. It runs in the current directory."""
    keeper = os.getpid()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        try:
            _exec_program(keeper, order, command)
        except BaseException as error:  # noqa: BLE001 - a forked copy of the keeper must never run on
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(126)
    os.close(writer)
    return pid, reader


def _exec_program(keeper: int, order: Order, command: list[str]) -> None:
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # Python ignores SIGPIPE and a program inherits that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if order.cpus:
        os.sched_setaffinity(0, order.cpus)
    _raise_open_files(order.open_files)
    # A core file of a store is as large as its memory, and holds its passwords.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if order.processes_max:
        _limit_processes(order.user[0], order.processes_max)
    for group in order.groups:
        _join(group)
    # Opened while this is still root: the store's user may not be able to enter the parents of its own directory.
    confinement = None
    if order.is_confined:
        confinement = Confinement(order.readable, [".", *order.writable], listens=order.ports)
    drop_capabilities()
    _become(*order.user)
    forgo_privileges()
    if confinement is not None:
        confinement.enforce()
    # After the change of user, which clears it.
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(125)
    os.execv(command[0], command)  # noqa: S606


def _raise_open_files(wanted: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted and os.geteuid() == 0:
        hard = wanted
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _limit_processes(uid: int, wanted: int) -> None:
    """Beyond those that the user has now: the kernel counts all of a user's, threads included."""
    owner = uid if uid >= 0 else os.getuid()
    count = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == owner:  # noqa: PTH116
                count += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
        except OSError:
            continue
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = count + wanted if hard == resource.RLIM_INFINITY else min(count + wanted, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _join(group: str) -> None:
    _write(f"{group}/cgroup.procs", "0")


def _become(uid: int, gid: int) -> None:
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)


def kill_everything(pid: int, groups: list[str]) -> int:
    """Ends `pid` and all that came from it; the exit code of `pid`, negative for a signal.

    SIGKILL and no SIGTERM before it: the data directory is wiped, so nothing that a store saves on its way out
    is of use, and some take their time for it. Control groups first, because nothing can fork its way out of them;
    then every child, among them the orphans this process has adopted, until there are none.
    """
    ended, status = os.waitpid(pid, os.WNOHANG)
    code = os.waitstatus_to_exitcode(status)
    if not ended:
        _kill(pid)
    for group in groups:
        kill_group(group)
    give_up_at = time.monotonic() + KILL_WITHIN_S
    while time.monotonic() < give_up_at:
        for child in _children():
            _kill(child)
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
        if ended == 0:
            time.sleep(0.001)
    return code


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _children() -> list[int]:
    try:
        with open("/proc/thread-self/children") as listed:  # noqa: PTH123
            return [int(word) for word in listed.read().split()]
    except FileNotFoundError:
        return _children_by_search()


def _children_by_search() -> list[int]:
    """For kernels built without that file."""
    own = str(os.getpid())
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:  # noqa: PTH123
                    parent = file.read().rsplit(")", 1)[1].split()[1]
            except (OSError, IndexError):
                continue
            if parent == own:
                found.append(int(name))
    return found


def kill_group(group: str) -> None:
    """SIGKILL to every process in a control group. A group that is gone has none."""
    try:
        _write(f"{group}/cgroup.kill", "1")
        return
    except OSError:
        # Version 1, or a kernel before 5.14.
        limit = _stop_forks(group)
    give_up_at = time.monotonic() + KILL_WITHIN_S
    while time.monotonic() < give_up_at:
        members = _members(group)
        if not members:
            break
        for member in members:
            _kill(member)
        time.sleep(0.001)
    if limit:
        _write(f"{group}/pids.max", limit)


def remove_groups(groups: list[str]) -> None:
    """Those that no process is left in."""
    for group in groups:
        try:
            os.rmdir(group)  # noqa: PTH106
        except OSError:
            continue


def _stop_forks(group: str) -> str:
    """The limit that held before; empty where this group has none."""
    try:
        with open(f"{group}/pids.max") as most:  # noqa: PTH123
            limit = most.read().strip()
        _write(f"{group}/pids.max", "0")
    except OSError:
        return ""
    return limit


def _members(group: str) -> list[int]:
    try:
        with open(f"{group}/cgroup.procs") as listed:  # noqa: PTH123
            return [int(word) for word in listed.read().split()]
    except OSError:
        return []


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123
        file.write(text)
