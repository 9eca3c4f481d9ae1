"""Spanning trees of tight pairs: walked to better columns, and given flows that prove bounds."""
