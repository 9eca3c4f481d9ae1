"""Columns that are drawn together: one response on their combinations, for a cross-table."""
