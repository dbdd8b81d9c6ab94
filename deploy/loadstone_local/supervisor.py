"""Keeps the stack's processes alive: starts them, restarts what ends, stops all in reverse order."""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from loadstone_local.console import say

PR_SET_PDEATHSIG = 1
LOG_BYTES_MAX = 20 * 1024 * 1024
RESTART_DELAY_S = 1.0
RESTART_DELAY_S_MAX = 30.0


@dataclass(frozen=True)
class Service:
    name: str
    command: list[str]
    is_ready: Callable[[], Awaitable[bool]]
    environment: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    ready_within_s: float = 120.0
    stop_within_s: float = 10.0


class NotReady(Exception):
    """A service did not become ready; the message names its log."""


def _die_with_parent() -> None:
    """Runs in the child: if the supervisor is killed, nothing of the stack stays behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Supervisor:
    def __init__(self, services: list[Service], logs: Path) -> None:
        self._services = services
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._watchers: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()

    async def start(self) -> None:
        """Start all at once and wait until each is ready. Errors: `NotReady`."""
        self._logs.mkdir(parents=True, exist_ok=True)
        for service in self._services:
            self._launch(service)
        for service in self._services:
            await self._wait_until_ready(service)
            self._watchers.append(asyncio.create_task(self._watch(service)))

    async def wait_for_stop(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        await self._stopping.wait()

    async def stop(self) -> None:
        self._stopping.set()
        for watcher in self._watchers:
            watcher.cancel()
        for service in reversed(self._services):
            process = self._running.get(service.name)
            if process is not None:
                await self._end(service, process)

    def _launch(self, service: Service) -> None:
        log = self._logs / f"{service.name}.log"
        if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
            log.replace(log.with_suffix(".log.1"))
        with log.open("ab") as output:
            self._running[service.name] = subprocess.Popen(
                service.command,
                cwd="/",
                env={**os.environ, **service.environment},
                user=service.user,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Own group: Ctrl-C reaches the supervisor, which stops the rest in order.
                process_group=0,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - no thread runs in the supervisor when it forks
            )

    async def _wait_until_ready(self, service: Service) -> None:
        deadline = time.monotonic() + service.ready_within_s
        while time.monotonic() < deadline:
            if self._running[service.name].poll() is not None:
                break
            if await service.is_ready():
                return
            await asyncio.sleep(0.05)
        raise NotReady(f"{service.name} did not become ready; its log: {self._logs / service.name}.log")

    async def _watch(self, service: Service) -> None:
        delay_s = RESTART_DELAY_S
        while not self._stopping.is_set():
            started = time.monotonic()
            while self._running[service.name].poll() is None:
                await asyncio.sleep(0.25)
            delay_s = RESTART_DELAY_S if time.monotonic() - started > 60 else min(delay_s * 2, RESTART_DELAY_S_MAX)
            code = self._running[service.name].returncode
            say(f"{service.name} ended with {code}; starting it again in {delay_s:.0f} s")
            await asyncio.sleep(delay_s)
            self._launch(service)

    async def _end(self, service: Service, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            process.send_signal(service.stop_signal)
        deadline = time.monotonic() + service.stop_within_s
        while process.poll() is None and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
