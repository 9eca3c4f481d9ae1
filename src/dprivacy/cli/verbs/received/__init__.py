"""Verbs of those who received a protected table."""
