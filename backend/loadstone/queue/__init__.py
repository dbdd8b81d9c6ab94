"""The queue: what waits, for what, and when it will begin."""
