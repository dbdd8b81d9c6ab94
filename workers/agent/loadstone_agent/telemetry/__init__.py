"""What store and host do while a trial is measured, second by second. See `collector`."""
