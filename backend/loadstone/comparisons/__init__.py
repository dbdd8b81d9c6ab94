"""Comparisons: which side is better, at which setting, and how sure that is."""
