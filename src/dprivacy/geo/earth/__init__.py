"""A shelf of `geo`."""
