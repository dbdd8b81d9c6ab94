"""Task names, queues and the Celery settings shared by everything that rings or hears a doorbell.

A message carries an id and nothing else; PostgreSQL is the truth. Losing, doubling, delaying or
forging a message changes nothing, because whoever hears it claims the work through the database.
"""

from typing import Any

import structlog
from celery import Celery
from kombu import Queue

log = structlog.get_logger()

DISPATCH = "loadstone.control.dispatch"
SWEEP = "loadstone.control.sweep"
PRUNE = "loadstone.control.prune"
ANALYSE = "loadstone.control.analyse"
DELIVER = "loadstone.control.deliver"
FIRE_SCHEDULES = "loadstone.control.fire_schedules"
TRIAL = "loadstone.agent.trial"
CHECK = "loadstone.agent.check"

CONTROL_QUEUE = "control"


def agent_queue(agent_id: str) -> str:
    """One queue an agent: a doorbell rings at one door."""
    return f"agent.{agent_id}"


SETTINGS: dict[str, Any] = {
    # State lives in PostgreSQL; results in Redis would be a second, weaker truth.
    "task_ignore_result": True,
    "task_store_errors_even_if_ignored": False,
    # Early acknowledgement: a late one makes Redis deliver a long task again after the visibility time-out.
    "task_acks_late": False,
    # A reserved message behind a long trial is unacknowledged and would be delivered twice after the time-out.
    "worker_disable_prefetch": True,
    "worker_prefetch_multiplier": 1,
    # JSON only: a pickle from the broker would be code.
    "task_serializer": "json",
    "accept_content": ["json"],
    # The shortest time-out of all apps on a broker wins; a week is longer than any wait for a busy agent.
    "broker_transport_options": {
        "visibility_timeout": 7 * 24 * 3600,
        "socket_timeout": 10,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
    },
    # A broker that is away for long must not end a worker.
    "broker_connection_max_retries": None,
    "broker_connection_retry_on_startup": True,
    # No queue and no exchange per event: nothing listens to them.
    "worker_send_task_events": False,
    "worker_hijack_root_logger": False,
    # A cold shutdown gives the running trial this long to stop its engine and report.
    "worker_soft_shutdown_timeout": 8,
}


def make_app(name: str, broker_url: str, queue: str) -> Celery:
    """A Celery app that hears `queue` only."""
    app = Celery(name, broker=broker_url)
    app.conf.update(SETTINGS)
    app.conf.task_default_queue = queue
    app.conf.task_queues = [Queue(queue)]
    return app


class Doorbell:
    """Rings; never raises. What nobody heard is rung again by the sweep."""

    def __init__(self, broker_url: str) -> None:
        self._app = Celery("loadstone-doorbell", broker=broker_url)
        self._app.conf.update(SETTINGS)
        # Kombu tries for 6 s to connect, whatever `retry` says: the caller of a click must not wait that long.
        self._app.conf.broker_transport_options = {**SETTINGS["broker_transport_options"], "max_retries": 0}

    def ring_dispatch(self) -> None:
        self._ring(DISPATCH, CONTROL_QUEUE, [])

    def ring_analysis(self, run_id: str) -> None:
        self._ring(ANALYSE, CONTROL_QUEUE, [run_id])

    def ring_deliver(self) -> None:
        self._ring(DELIVER, CONTROL_QUEUE, [])

    def ring_trial(self, agent_id: str, trial_id: str) -> None:
        self._ring(TRIAL, agent_queue(agent_id), [trial_id])

    def ring_check(self, agent_id: str, check_id: str) -> None:
        self._ring(CHECK, agent_queue(agent_id), [check_id])

    def _ring(self, task: str, queue: str, args: list[str]) -> None:
        try:
            # No retry: the caller must not wait for a broker that is away.
            self._app.send_task(task, args=args, queue=queue, retry=False, ignore_result=True)
        except Exception as error:  # noqa: BLE001 - any transport fault means the same: not heard
            log.warning("doorbell_unheard", task=task, queue=queue, error=str(error))
