"""Pure statistics: no I/O, no database, no framework."""
