"""The Celery worker of an agent: the main process beats, one pool process executes."""

import ctypes
import fcntl
import os
import signal
import threading
from typing import Any

import structlog
from celery import Celery
from celery.signals import worker_process_init, worker_ready, worker_shutting_down
from loadstone_contracts.tasks import CHECK, TRIAL, make_app

from loadstone_agent.agent import Agent, make_agent
from loadstone_agent.api import Patience
from loadstone_agent.broker import BrokerAccess
from loadstone_agent.check import run_check
from loadstone_agent.errors import AgentError
from loadstone_agent.heartbeat import Heartbeat
from loadstone_agent.replay import replay_spool
from loadstone_agent.settings import AgentSettings
from loadstone_agent.stores.groups import settle_in_delegated_group
from loadstone_agent.stores.session import sweep_host
from loadstone_agent.trial.chain import TrialChain

log = structlog.get_logger()

PR_SET_PDEATHSIG = 1
REPLAY_AT_START = Patience(10.0)


class AlreadyRunning(AgentError):
    code = "already_running"


class PoolProcess:
    """What lives in the process that executes tasks."""

    def __init__(self, settings: AgentSettings, main_pid: int, stop_reader: int, stop_writer: int) -> None:
        self._settings = settings
        self._main_pid = main_pid
        self._stop_reader = stop_reader
        self._stop_writer = stop_writer
        self._agent: Agent | None = None
        self._chain: TrialChain | None = None

    def begin(self, **_: Any) -> None:
        """Dies with the main process, and so do engine and stores, whose pipes end with this one."""
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._main_pid:
            os._exit(1)
        os.close(self._stop_writer)
        # Its own: a connection must not be shared with the main process.
        self._agent = make_agent(self._settings)
        self._chain = TrialChain(self._agent)
        threading.Thread(target=self._await_stop, name="stop", daemon=True).start()

    def _await_stop(self) -> None:
        os.read(self._stop_reader, 1)
        assert self._chain is not None
        self._chain.stop()

    def execute_trial(self, trial_id: str) -> None:
        assert self._chain is not None
        self._chain.execute(trial_id)

    def check_target(self, check_id: str) -> None:
        assert self._agent is not None
        run_check(self._agent, check_id)


def lock_agent_dir(settings: AgentSettings) -> int:
    """One agent a directory: the spool and the stores in it have one owner. Raises AlreadyRunning."""
    settings.agent_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
    descriptor = os.open(settings.agent_dir / "agent.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        message = f"An agent runs in {settings.agent_dir} already: stop it, or set another LOADSTONE_AGENT_DIR."
        raise AlreadyRunning(message) from None
    return descriptor


def clean_up_after_the_dead(settings: AgentSettings, agent: Agent) -> None:
    """Before the first doorbell is heard: leftovers of killed stores, and what was measured but not delivered."""
    sweep_host(settings)
    if not replay_spool(settings, agent.api, agent.inventory, REPLAY_AT_START):
        log.warning("spool_replay_goes_on", message="The api did not answer; the heartbeat tries again.")


def make_worker(settings: AgentSettings, agent: Agent) -> Celery:
    """A Celery app whose signals carry the agent's life. Raises BrokerInClear, BrokerCredentialMissing."""
    broker = BrokerAccess(settings, agent.identity, agent.api)
    app = make_app("loadstone-agent", broker.url, agent.identity.queue, broker.credentials)
    stop_reader, stop_writer = os.pipe()
    pool = PoolProcess(settings, os.getpid(), stop_reader, stop_writer)
    heartbeat = Heartbeat(agent, broker)

    def end_trial(**_: Any) -> None:
        heartbeat.stop()
        # Every shutdown, a warm one too, ends the trial under way: it is attempted again. To let it end, drain first.
        os.write(stop_writer, b"s")

    worker_process_init.connect(pool.begin, weak=False)
    worker_ready.connect(lambda **_: heartbeat.start(), weak=False)
    worker_shutting_down.connect(end_trial, weak=False)
    app.task(name=TRIAL)(pool.execute_trial)
    app.task(name=CHECK)(pool.check_target)
    return app


def run_worker(settings: AgentSettings) -> None:
    """Returns when the worker was asked to stop.

    Raises NotEnrolled, AlreadyRunning, BrokerInClear, BrokerCredentialMissing.
    """
    lock = lock_agent_dir(settings)
    try:
        settle_in_delegated_group()
        agent = make_agent(settings)
        clean_up_after_the_dead(settings, agent)
        app = make_worker(settings, agent)
        log.info("agent_started", name=agent.identity.name, queue=agent.identity.queue, api=agent.identity.url)
        # Gossip, mingle and Celery's own heartbeat are off: this worker has no peers to know.
        options = "--pool=prefork --concurrency=1 --loglevel=WARNING"
        app.worker_main(["worker", *options.split(), f"--hostname={agent.identity.queue}@%h"])
    finally:
        os.close(lock)
