"""Lists and results to take away, as CSV or JSON."""
