"""Where a series of runs shifts: noise, the best partition, and what becomes of its steps from look to look. Pure."""
