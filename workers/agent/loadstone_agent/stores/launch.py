"""Starts a managed store under its keeper and waits until it answers its own protocol."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from loadstone_agent.errors import AgentError, PluginMissing, PortTaken, StoreStartFailed, TargetUnreachable
from loadstone_agent.keeper.order import Order
from loadstone_agent.stores.base import CONNECT_TIMEOUT_S, Endpoint, StoreKind
from loadstone_agent.stores.confinement import Confinement, confine
from loadstone_agent.stores.directories import make_closed_folder, open_for_passage, user_ids, wipe_quietly
from loadstone_agent.stores.endings import Ending
from loadstone_agent.stores.groups import StoreGroup
from loadstone_agent.stores.resources import free_ports, open_files, own_group

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 4.0
PORT_ATTEMPTS = 5
KEEPER = Path(__file__).parents[1] / "keeper/__main__.py"
KILL, RESTART = b"k", b"r"  # as the keeper understands them


@dataclass(frozen=True)
class LaunchPlan:
    kind: StoreKind
    options: Mapping[str, str]
    connections: int
    cpus: list[int]
    data_root: Path
    user: str
    templates: Path | None = None
    """Where data directories are kept to be copied; without it each start makes its own."""
    memory_limit_bytes: int | None = None
    """Kept by the store's control group; None where there is no limit, or the store keeps it itself."""
    is_confined: bool = True
    """False only to measure what the sandbox costs."""


def launch(plan: LaunchPlan, check_interrupt: Callable[[], None]) -> "ManagedStore":
    """Raises StoreMissing, StoreStartFailed, StoreDiskFull, PluginMissing, PortTaken, SandboxMissing, BadPlan, and
    what `check_interrupt` raises.
    """
    confinement = confine(plan.kind, plan.options, wanted=plan.is_confined)
    if plan.templates is not None:
        make_closed_folder(plan.templates)
    for attempt in range(1, PORT_ATTEMPTS + 1):
        ports = free_ports(plan.kind.listeners)
        store = ManagedStore(plan, ports, confinement)
        try:
            store.wait_until_ready(check_interrupt)
        except _PortTaken:
            store.stop()
            if attempt == PORT_ATTEMPTS:
                raise PortTaken("No port stayed free on loopback: close what opens so many.") from None
        except BaseException:
            store.stop()
            raise
        else:
            return store
    raise AssertionError("unreachable")


class _PortTaken(Exception): ...


class ManagedStore:
    """A running store, its keeper, and how it ended."""

    def __init__(self, plan: LaunchPlan, ports: list[int], confinement: Confinement) -> None:
        self.kind = plan.kind
        command = plan.kind.command(ports, plan.options, plan.connections)
        admin_password = secrets.token_urlsafe(24)
        read_port = None if plan.kind.reads_at is None else ports[plan.kind.reads_at]
        self.endpoints = [_endpoint(port, read_port, plan.kind.admin_user, admin_password) for port in ports]
        self.load_endpoints = [_endpoint(port, read_port, plan.kind.load_user, None) for port in ports]
        """Where engines speak to it, as an ordinary user."""
        self.command_line = " ".join(part or "''" for part in command)
        self.directory = plan.data_root / uuid.uuid4().hex
        self.process_id: int | None = None
        self.killed_at_s: float | None = None
        """Unix time of the last `kill`."""
        self.ended = threading.Event()
        self._killed = threading.Event()
        self._log = b""
        self._exit_code: str | None = None
        self._stop_lock = threading.Lock()
        self._is_wanted = True
        self._on_death: Callable[[], None] | None = None
        self._files = open_files(plan.connections, plan.options)
        self._group = StoreGroup(())
        if plan.is_confined:
            self._group = own_group(self.directory.name, self._files, plan.memory_limit_bytes)
        self._keeper = self._start_keeper(self._order(plan, ports, confinement, command, admin_password))
        self._reader = threading.Thread(target=self._read_keeper, name="store-keeper", daemon=True)
        self._reader.start()

    @property
    def endpoint(self) -> Endpoint:
        """Where control signs in, as its administrator."""
        return self.endpoints[0]

    def _order(
        self, plan: LaunchPlan, ports: list[int], confinement: Confinement, command: list[str], admin_password: str
    ) -> Order:
        template = plan.kind.template_name(plan.options)
        return Order(
            directory=str(self.directory),
            user=user_ids(plan.user),
            command=command,
            prepare=plan.kind.prepare(plan.options),
            template=str(plan.templates / template) if plan.templates and template else "",
            private_files=dict(plan.kind.private_files(admin_password)),
            cpus=plan.cpus,
            open_files=self._files,
            processes_max=0 if self._group.limits_processes else self._files,
            groups=self._group.paths,
            is_confined=confinement.is_landlocked,
            readable=confinement.readable,
            writable=confinement.writable,
            ports=ports,
        )

    def _start_keeper(self, order: Order) -> "subprocess.Popen[bytes]":
        open_for_passage(self.directory.parent)
        # No site packages and no environment: half the start time, and nothing to interfere.
        keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(KEEPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={"LANG": "C.UTF-8", "PATH": os.environ.get("PATH", os.defpath), "TMPDIR": str(self.directory)},
        )
        assert keeper.stdin is not None
        with suppress(OSError):
            keeper.stdin.write(order.pack())
            keeper.stdin.flush()
        return keeper

    def _read_keeper(self) -> None:
        assert self._keeper.stdout is not None
        with self._keeper.stdout as output:
            while line := output.readline():
                self._hear(line)
                if self._exit_code is not None:
                    self._log += output.read()
        self.ended.set()
        self._killed.set()
        if self._is_wanted and self._on_death is not None:
            self._on_death()

    def _hear(self, line: bytes) -> None:
        word, _, value = line.partition(b" ")
        match word:
            case b"started":
                self.process_id = int(value)
            case b"killed":
                self.process_id = None
                self._killed.set()
            case b"exited":
                self._exit_code = value.decode().strip()
            case _:
                self._log += line

    def kill(self) -> None:
        """SIGKILL to all of it, as a crash would be; its data stay. Dead when this returns."""
        self._killed.clear()
        self.killed_at_s = time.time()
        self._tell_keeper(KILL)
        self._killed.wait(STOP_TIMEOUT_S)

    def start_again(self, check_interrupt: Callable[[], None]) -> None:
        """On the data that `kill` left. Raises StoreStartFailed and what `check_interrupt` raises."""
        self._tell_keeper(RESTART)
        try:
            self.wait_until_ready(check_interrupt)
        except _PortTaken:
            message = f"The port of {self.kind.binary} was taken while it was dead: run the trial again."
            raise StoreStartFailed(message) from None

    def _tell_keeper(self, word: bytes) -> None:
        assert self._keeper.stdin is not None
        # A keeper that is gone has ended the store as well: whoever waits for it is told by `ended`.
        with suppress(OSError, ValueError):
            self._keeper.stdin.write(word)
            self._keeper.stdin.flush()

    def when_it_dies(self, action: Callable[[], None] | None) -> None:
        """Called from another thread when the store ends unasked; at once if it already has."""
        self._on_death = action
        if action is not None and self.ended.is_set():
            action()

    def has_died(self, within_s: float = 0.0) -> bool:
        return self._is_wanted and self.ended.wait(within_s)

    def cpu_s(self) -> float:
        """CPU seconds that the server's processes have used so far; those that have ended count no more."""
        try:
            processes = psutil.Process(self._keeper.pid).children(recursive=True)
            times = [process.cpu_times() for process in processes]
        except psutil.NoSuchProcess:
            return 0.0
        return float(sum(one.user + one.system for one in times))

    def _ending(self) -> Ending:
        code = None if self._exit_code is None else int(self._exit_code)
        return Ending(self.kind.binary, code, self.log_tail, self._group.has_run_out_of_memory())

    def pin(self, cpus: list[int]) -> None:
        """Onto these CPUs from now on, with every thread that it has: what it starts later inherits them."""
        for process in psutil.Process(self._keeper.pid).children(recursive=True):
            # A thread may end at any moment.
            with suppress(psutil.NoSuchProcess):
                for thread in process.threads():
                    with suppress(ProcessLookupError):
                        os.sched_setaffinity(thread.id, cpus)

    def death(self) -> AgentError:
        return self._ending().death()

    @property
    def log_tail(self) -> str:
        return self._log.decode("utf-8", "replace")

    def wait_until_ready(self, check_interrupt: Callable[[], None]) -> None:
        """A round trip of its own protocol, answered by this very process."""
        give_up_at = time.monotonic() + START_TIMEOUT_S
        pause_s = 0.002
        while not self._answers():
            check_interrupt()
            if self.ended.wait(pause_s):
                raise self._why_not_started()
            if time.monotonic() > give_up_at:
                self.stop()
                message = f"{self.kind.binary} did not answer within {START_TIMEOUT_S:.0f} s: see its last log lines."
                raise StoreStartFailed(message, self.log_tail)
            pause_s = min(pause_s * 1.3, 0.02)

    def _answers(self) -> bool:
        try:
            with self.kind.control(self.endpoint) as control:
                control.ping()
                answering = control.process_id()
                missing = control.missing_part()
            if missing is None:
                self._ping_others()
        except AgentError:
            return False
        if missing is not None:
            raise PluginMissing(missing, self.log_tail)
        if self.process_id is None or answering == self.process_id:
            return self.process_id is not None
        raise _PortTaken

    def _ping_others(self) -> None:
        """One port may open before another. Raises TargetUnreachable."""
        for endpoint in self.endpoints[1:]:
            try:
                socket.create_connection((endpoint.host, endpoint.port), CONNECT_TIMEOUT_S).close()
            except OSError as error:
                raise TargetUnreachable(f"{endpoint} does not answer yet.", str(error)) from error

    def _why_not_started(self) -> Exception:
        ending = self._ending()
        return _PortTaken() if ending.is_port_taken() else ending.start_fault()

    def stop(self) -> None:
        """Store dead and data directory gone when this returns; from any thread, any number of times."""
        self._is_wanted = False
        with self._stop_lock:
            assert self._keeper.stdin is not None
            with suppress(OSError):
                self._keeper.stdin.close()
            try:
                self._keeper.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                # The store dies with its keeper (PR_SET_PDEATHSIG), the rest of its group below.
                os.kill(self._keeper.pid, signal.SIGKILL)
                self._keeper.wait()
            self._group.kill()
            self._reader.join(1.0)
            wipe_quietly(self.directory)
            self._group.remove()


def _endpoint(port: int, read_port: int | None, username: str | None, password: str | None) -> Endpoint:
    return Endpoint("127.0.0.1", port, username, password if username else None, read_port=read_port)
