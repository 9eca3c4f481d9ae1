"""Stored nouns: save any of them, and load back whatever a file says it holds."""

from dprivacy.store.stored_nouns import load as load, save as save
