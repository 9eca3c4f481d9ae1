"""A shelf of `polytope`."""
