"""Results: what was measured, stored once, merged per point, read back for charts."""
