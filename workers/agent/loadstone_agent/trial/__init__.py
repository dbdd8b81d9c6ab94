"""One trial on this host: lease, store, engine, spool, outcome."""
