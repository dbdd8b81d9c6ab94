"""Saved workloads: what is sent."""
