"""The other ends of the agent for its tests: an api in memory over real HTTP, real stores, real processes."""
