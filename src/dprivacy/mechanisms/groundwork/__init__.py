"""A shelf of `mechanisms`."""
