"""Spaces that are trees: codes that hang on a line of numbers, and the leaves of a hierarchy."""
