"""Results of this project: what the sources leave open, computed again."""
