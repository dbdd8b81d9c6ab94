"""Fixtures that backend and control tests share."""

pytest_plugins = ["loadstone_testing.fixtures"]
