"""Dispatch: claims, leases, holds, and the recovery of what was lost on the way."""
