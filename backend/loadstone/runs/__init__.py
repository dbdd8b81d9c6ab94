"""Runs: submit, list, watch, cancel; points and trials as they move."""
