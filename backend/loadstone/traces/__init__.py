"""Recorded traces: files of a team that workloads replay."""
