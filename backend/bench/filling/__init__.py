"""Fills a database with a history as it would have grown: plans, runs, points, trials, metrics and series."""
