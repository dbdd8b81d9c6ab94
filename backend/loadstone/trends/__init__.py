"""Trends: series over time, change points, alerts."""
