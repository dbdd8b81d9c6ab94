"""Celery tasks on an agent host: runs engines and managed targets."""
