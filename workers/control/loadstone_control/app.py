"""The control worker: Celery tasks beside the database, and the beat that sends them.

Run `celery -A loadstone_control.app worker --concurrency 1` any number of times, and `celery -A loadstone_control.app
beat` once. A single worker may carry the beat itself (`worker -B`); two that do send twice, which changes nothing.
"""

import logging
from typing import Any

import celery.signals
from loadstone.db import dispose_engine
from loadstone.logging import configure_logging
from loadstone.settings import get_settings
from loadstone_contracts.tasks import (
    ANALYSE,
    CONTROL_QUEUE,
    DELIVER,
    FIRE_SCHEDULES,
    PRUNE,
    SWEEP,
    SYNC_BROKER_USERS,
    make_app,
)

SWEEP_EVERY_S = 2.0
PRUNE_EVERY_S = 600.0
FIRE_EVERY_S = 1.0
ANALYSE_EVERY_S = 10.0
DELIVER_EVERY_S = 5.0
SYNC_BROKER_USERS_EVERY_S = 2.0

app = make_app("loadstone_control", get_settings().broker_url, CONTROL_QUEUE)
app.conf.imports = ("loadstone_control.tasks",)
app.conf.beat_schedule = {
    # Whoever comes too late to a sweep drops it: after an hour without a worker, one sweep follows, not 1,800.
    "sweep": {"task": SWEEP, "schedule": SWEEP_EVERY_S, "options": {"expires": SWEEP_EVERY_S}},
    "fire_schedules": {"task": FIRE_SCHEDULES, "schedule": FIRE_EVERY_S, "options": {"expires": FIRE_EVERY_S}},
    "analyse": {"task": ANALYSE, "schedule": ANALYSE_EVERY_S, "options": {"expires": ANALYSE_EVERY_S}},
    "deliver": {"task": DELIVER, "schedule": DELIVER_EVERY_S, "options": {"expires": DELIVER_EVERY_S}},
    "sync_broker_users": {
        "task": SYNC_BROKER_USERS,
        "schedule": SYNC_BROKER_USERS_EVERY_S,
        "options": {"expires": SYNC_BROKER_USERS_EVERY_S},
    },
    "prune": {"task": PRUNE, "schedule": PRUNE_EVERY_S, "options": {"expires": PRUNE_EVERY_S}},
}


@celery.signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _forget_parents_connections(**_: Any) -> None:
    """A connection shared with the parent process would mix two conversations."""
    dispose_engine()


@celery.signals.setup_logging.connect  # type: ignore[untyped-decorator]
def _configure_logging(loglevel: int, **_: Any) -> None:
    configure_logging(get_settings().log_level)
    # `--loglevel` is for Celery's own lines: at INFO they are three for each sweep.
    logging.getLogger("celery").setLevel(loglevel)
    # A line for each sweep would be 86,000 a day that say nothing.
    for chatter in ("celery.worker.strategy", "celery.app.trace", "celery.beat"):
        logging.getLogger(chatter).setLevel(logging.WARNING)
