"""The log of every change: what, when, by whom."""
