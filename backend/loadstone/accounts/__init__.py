"""People, teams, sessions and API tokens."""
