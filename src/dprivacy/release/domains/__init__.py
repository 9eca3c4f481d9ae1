"""Domains that are more than a list of values: numbers beside codes, dates, hierarchies."""
