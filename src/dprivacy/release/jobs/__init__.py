"""A shelf of `release`."""
