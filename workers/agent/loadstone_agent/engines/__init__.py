"""Engines: programs that make the load, one module each behind one interface."""
