"""Loadstone: schedules benchmarks of data stores and shows results that can be believed."""
