"""Schedules: plans that start by themselves."""
