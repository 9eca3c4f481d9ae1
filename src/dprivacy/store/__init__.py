"""Stored nouns: save any of them, and load back whatever a file says it holds."""

from dprivacy.store.file_schemas import schema as schema
from dprivacy.store.stored_nouns import load as load, save as save

# isort: split
# For other rooms; not part of the surface.
from dprivacy.store.stored_nouns import from_text as from_text, stored_text as stored_text
