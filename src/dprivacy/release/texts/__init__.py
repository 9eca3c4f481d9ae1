"""Texts: single documents with their cards, and columns of texts in a table."""
