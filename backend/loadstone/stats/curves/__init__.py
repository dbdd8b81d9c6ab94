"""What a curve means: its knee, its scalability law, and the capacity at a latency goal. Pure."""
