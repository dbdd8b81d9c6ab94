"""Holds one managed store: whatever happens to the agent, neither store nor data directory outlives it.

Standard library only, and little of it: the start of this process is part of every trial's overhead.
"""
