"""Plans: what is run, expanded into points and trials, estimated, and refused before anything starts."""
