"""The Celery settings shared by everything that sends or hears a notification (a "doorbell" in older names).

A message carries an id and nothing else; PostgreSQL is the truth. Losing, doubling, delaying or
forging a message changes nothing, because whoever hears it claims the work through the database.
"""

from typing import Any

import structlog
from celery import Celery
from kombu import Exchange, Queue

from loadstone_contracts.broker import TRANSPORT, Credentials
from loadstone_contracts.broker_address import tls_options
from loadstone_contracts.notifications import (
    ANALYSE,
    CHECK,
    CONTROL_QUEUE,
    DELIVER,
    DISPATCH,
    FIRE_SCHEDULES,
    PRUNE,
    SWEEP,
    SYNC_BROKER_USERS,
    TRIAL,
    agent_queue,
)

__all__ = [
    "ANALYSE",
    "CHECK",
    "CONTROL_QUEUE",
    "DELIVER",
    "DISPATCH",
    "FIRE_SCHEDULES",
    "PRUNE",
    "SWEEP",
    "SYNC_BROKER_USERS",
    "TRIAL",
    "Doorbell",
    "agent_queue",
    "make_app",
]

log = structlog.get_logger()

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
    # A queue is a list and a message is taken off it at once: see `broker`.
    "broker_transport": TRANSPORT,
    "broker_transport_options": {
        "socket_timeout": 10,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
    },
    # A broker that is away for long must not end a worker.
    "broker_connection_max_retries": None,
    "broker_connection_retry_on_startup": True,
    # Nor may a command that the broker refuses, for want of memory or of a right.
    "broker_channel_error_retry": True,
    # A broadcast `shutdown` would end every worker that hears it.
    "worker_enable_remote_control": False,
    "worker_consumer": "loadstone_contracts.consumer:Consumer",
    # No queue and no exchange per event: nothing listens to them.
    "worker_send_task_events": False,
    "worker_hijack_root_logger": False,
    # A cold shutdown gives the running trial this long to stop its engine and report.
    "worker_soft_shutdown_timeout": 8,
}


def _queue(name: str) -> Queue:
    """Named by its own key: no exchange, no binding, nothing to declare."""
    return Queue(name, Exchange(""), routing_key=name, no_declare=True)


def make_app(name: str, broker_url: str, queue: str, credentials: Credentials | None = None) -> Celery:
    """Return a Celery app that hears `queue` only. `credentials` replace the user in `broker_url`."""
    app = Celery(name, broker=broker_url)
    app.conf.update(SETTINGS, broker_use_ssl=tls_options(broker_url))
    if credentials is not None:
        app.conf.broker_transport_options = {**SETTINGS["broker_transport_options"], "credentials": credentials}
    app.conf.task_default_queue = queue
    app.conf.task_queues = [_queue(queue)]
    return app


class Doorbell:
    """Sends notifications; never raises. The sweep sends again what nobody heard."""

    def __init__(self, broker_url: str) -> None:
        self._app = Celery("loadstone-doorbell", broker=broker_url)
        self._app.conf.update(SETTINGS, broker_use_ssl=tls_options(broker_url))
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
            self._app.send_task(task, args=args, queue=_queue(queue), retry=False, ignore_result=True)
        except Exception as error:  # noqa: BLE001 - any transport fault means the same: not heard
            log.warning("doorbell_unheard", task=task, queue=queue, error=str(error))
