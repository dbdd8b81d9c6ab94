"""What people say about runs and points, in threads."""
