"""A shelf of `web`."""
