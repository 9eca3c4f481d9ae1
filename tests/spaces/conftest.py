"""Exact arithmetic has no fixed pace: no deadline for one example, and fewer of them."""

from hypothesis import settings

settings.register_profile("exact", deadline=None, max_examples=60)
settings.load_profile("exact")
