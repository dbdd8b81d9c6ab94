"""The command line over the public api."""

__version__ = "0.1.0"
