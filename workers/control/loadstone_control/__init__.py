"""Celery tasks beside the database: dispatch, recovery, analysis."""
