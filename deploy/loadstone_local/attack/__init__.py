"""Attacks on a live stack, each replayed for real: `make attack`, and a short form in `make test`."""
