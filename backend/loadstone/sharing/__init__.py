"""Links that show one run, comparison, trend view or dashboard to whoever holds them, and nothing beyond it."""
