"""A shelf of `hashing`."""
