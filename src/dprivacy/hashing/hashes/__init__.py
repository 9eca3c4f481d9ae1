"""Locality-sensitive hashes: public functions whose bits tell near inputs from far ones."""
