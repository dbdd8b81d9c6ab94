"""Stores under test: kinds and profiles, saved targets, their credentials and reachability checks."""
