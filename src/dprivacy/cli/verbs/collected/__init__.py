"""Verbs of collections."""
