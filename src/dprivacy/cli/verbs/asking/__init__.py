"""Verbs for asking people: designs on paper."""
