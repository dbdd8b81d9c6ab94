"""The registry of agents: enrollment, heartbeats, and which agent can take which run."""
