"""A shelf of `verify`."""
