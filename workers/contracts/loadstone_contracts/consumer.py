"""Celery's consumer without what speaks to other workers, whatever the command line says."""

from collections.abc import Mapping
from typing import Any

from celery.worker.consumer import Consumer as CeleryConsumer

ALONE: Mapping[str, bool] = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}


class Consumer(CeleryConsumer):  # type: ignore[misc]
    """Each of gossip, mingle and heartbeat is a broadcast that others could join."""

    def __init__(self, *args: Any, worker_options: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(*args, worker_options={**(worker_options or {}), **ALONE}, **options)
