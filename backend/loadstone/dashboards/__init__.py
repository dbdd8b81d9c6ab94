"""Dashboards: panels a team looks at together."""
