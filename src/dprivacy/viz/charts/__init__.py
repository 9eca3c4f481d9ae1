"""Flat pictures of results: bars, curves, heat maps, orders, estimates, experiments."""
