"""A shelf of `cli`."""
