"""The keeper's own program; the agent runs this file with `python -I -S`.

It reads an order on stdin (`order.py`), makes the data directory, and runs the store in it. When its stdin ends
(the agent closed it, or died) it kills everything that the store has started and wipes the directory. A `k` on stdin
kills the store and leaves its data, an `r` starts it again on them. On stdout: `started PID`, `killed CODE`, and at
the end `exited CODE` with the last output of the store.
"""

import os
import select
import signal
import sys
from types import FrameType

# Without site packages only the standard library is found.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120

from loadstone_agent.keeper import directory, processes
from loadstone_agent.keeper.directory import Unprepared
from loadstone_agent.keeper.order import Order, read_order

LOG_TAIL_BYTES = 8192
KILL, RESTART = b"k", b"r"


class Stopped(Exception):
    """SIGTERM: the host is going down."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Stopped


class _Tail:
    """The last bytes of what a program wrote."""

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

    def drain(self) -> None:
        while self.read() and select.select([self.output], [], [], 0)[0]:
            pass


def _watch(pid: int, tail: _Tail) -> bytes:
    """Returns what the agent asked for; nothing when the program has ended, or the agent is gone."""
    ended = os.pidfd_open(pid)
    poll = select.poll()
    for descriptor in (0, tail.output, ended):
        poll.register(descriptor, select.POLLIN)
    try:
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == 0:
                    return os.read(0, 1)
                if descriptor == ended:
                    return b""
                if not tail.read():
                    poll.unregister(tail.output)
    finally:
        os.close(ended)


def _say(text: bytes) -> None:
    try:
        os.write(1, text)
    except OSError:
        # The agent is gone; what is left to do is to clean up.
        return


def _run_to_its_end(order: Order, command: list[str]) -> tuple[int, bytes]:
    """The exit code and the last output; -9 when the agent gave up meanwhile."""
    pid, output = processes.start(order, command)
    tail = _Tail(output)
    try:
        _watch(pid, tail)
    finally:
        # Gone by itself, or no longer wanted; either way nothing of it stays.
        code = processes.kill_everything(pid, order.groups)
        tail.drain()
        os.close(output)
    return code, tail.kept


def _keep(order: Order) -> tuple[int, bytes]:
    """The exit code and the last output of the store that was started last."""
    pid, output = processes.start(order, order.command)
    tail = _Tail(output)
    try:
        _say(b"started %d\n" % pid)
        while _watch(pid, tail) == KILL:
            _say(b"killed %d\n" % processes.kill_everything(pid, order.groups))
            pid = 0
            if os.read(0, 1) != RESTART:
                break
            pid, output = processes.start(order, order.command)
            tail = _Tail(output)
            _say(b"started %d\n" % pid)
    except Stopped:
        pass
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = processes.kill_everything(pid, order.groups) if pid else -signal.SIGKILL
    tail.drain()
    return code, tail.kept


def _run(order: Order) -> tuple[int, bytes]:
    try:
        directory.fill(order, lambda command: _run_to_its_end(order, command))
        return _keep(order)
    except Unprepared as fault:
        return fault.code, fault.output
    except Stopped:
        return -signal.SIGTERM, b""


def main() -> None:
    agent = os.getppid()
    order = read_order(0)
    processes.adopt_orphans()
    directory.make(order)
    signal.signal(signal.SIGTERM, _stop)
    code, output = _run(order)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.chdir("/")
    directory.wipe(order.directory)
    if os.getppid() != agent:
        # A living agent still reads there why the store died, and removes them itself.
        processes.remove_groups(order.groups)
    _say(b"exited %d\n" % code + output)


if __name__ == "__main__":
    main()
