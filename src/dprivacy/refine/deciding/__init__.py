"""A shelf of `refine`."""
