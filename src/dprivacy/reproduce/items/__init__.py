"""A shelf of `reproduce`."""
