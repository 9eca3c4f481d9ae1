"""A shelf of `text`."""
