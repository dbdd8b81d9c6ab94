"""What the command line's tests share."""
