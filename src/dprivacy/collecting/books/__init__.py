"""Where a collection is kept: counters, and the ids of today and yesterday."""
