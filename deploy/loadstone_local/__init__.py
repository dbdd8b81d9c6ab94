"""Runs Loadstone on one machine from a checkout: what `make demo`, `make down` and `make test` do."""
