"""Distances between distributions: the cost of moving one to the other."""
