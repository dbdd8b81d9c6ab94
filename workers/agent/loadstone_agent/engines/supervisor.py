"""Holds one foreign engine: whatever happens to the agent, no process of it outlives it.

Run as a program: `supervisor.py REPORT_FD CPUS INPUT REACH COMMAND...`. It runs the command in a session of its own,
pinned to the CPUs, its stdin being the file INPUT; when its own stdin ends (the agent closed it, or died) it ends
everything the command has started. REACH is empty, or the TCP port the command may connect to and, a line each, the
paths it may read: a store that somebody else runs can then gain nothing by taking over the client that measures it.
At the end it writes `EXIT_CODE CPU_NS ELAPSED_NS` to the descriptor: CPU time of the command
and of the children it waited for, and its wall time. Standard library only: its start is part of every trial.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time

# Without site packages only the standard library is found.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120

from loadstone_agent.keeper.landlock import Confinement, drop_capabilities, forgo_privileges
from loadstone_agent.keeper.processes import adopt_orphans, kill_everything

PR_SET_PDEATHSIG = 1
TERM_GRACE_S = 1.0


def _exec(supervisor: int, report: int, cpus: str, given: str, reach: str, command: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    os.setsid()
    os.close(report)
    os.dup2(os.open(given, os.O_RDONLY), 0)
    for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if cpus:
        os.sched_setaffinity(0, [int(cpu) for cpu in cpus.split(",")])
    if reach:
        _confine(reach)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(125)
    os.execv(command[0], command)  # noqa: S606


def _confine(reach: str) -> None:
    """Nothing of the agent's can be read, and an agent that is root passes none of its powers on."""
    port, *readable = reach.split("\n")
    confinement = Confinement(readable, ["."], connects=[int(port)])
    drop_capabilities()
    forgo_privileges()
    confinement.enforce()


def _start(report: int, cpus: str, given: str, reach: str, command: list[str]) -> int:
    supervisor = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _exec(supervisor, report, cpus, given, reach, command)
        except BaseException as error:  # noqa: BLE001 - a forked copy of the supervisor must never run on
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(126)
    # The agent must see the end of the command's output when the command closes it.
    os.close(1)
    return pid


def _terminate(pid: int) -> None:
    for end in (os.killpg, os.kill):
        try:
            return end(pid, signal.SIGTERM)
        except ProcessLookupError:
            # Before its setsid the child leads no group; after its end there is nobody.
            continue
    return None


def _await(pid: int) -> None:
    """Returns when the command has ended by itself, or was asked to and has had its time."""
    ended = os.pidfd_open(pid)
    ready, _, _ = select.select([0, ended], [], [])
    if ended not in ready:
        _terminate(pid)
        select.select([ended], [], [], TERM_GRACE_S)


def main(arguments: list[str]) -> None:
    report, cpus, given, reach, *command = arguments
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    adopt_orphans()
    began_ns = time.monotonic_ns()
    pid = _start(int(report), cpus, given, reach, command)
    _await(pid)
    code = kill_everything(pid, [])
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
    os.write(int(report), b"%d %d %d" % (code, cpu_ns, time.monotonic_ns() - began_ns))


if __name__ == "__main__":
    main(sys.argv[1:])
