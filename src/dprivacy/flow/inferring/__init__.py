"""A shelf of `flow`."""
