"""Columns at work: noise for one batch of rows after another, and a first plan for a table."""
