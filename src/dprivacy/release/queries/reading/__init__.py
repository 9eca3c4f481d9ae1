"""A query read by white list: a tree of our own, its names resolved, and printed again."""
