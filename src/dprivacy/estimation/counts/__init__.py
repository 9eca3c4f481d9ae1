"""A shelf of `estimation`."""
