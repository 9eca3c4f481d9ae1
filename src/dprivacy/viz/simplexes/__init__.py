"""A shelf of `viz`."""
