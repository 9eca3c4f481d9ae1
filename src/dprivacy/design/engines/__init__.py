"""A shelf of `design`."""
