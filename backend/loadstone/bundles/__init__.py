"""A run as one file: exported with everything it rests on, imported elsewhere to be read."""
