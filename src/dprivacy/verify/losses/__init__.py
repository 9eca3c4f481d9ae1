"""The distribution of the privacy loss, and the guarantees that are read off it."""
