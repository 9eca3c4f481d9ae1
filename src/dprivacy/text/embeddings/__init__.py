"""Embeddings: words as vectors, from files or from lists, and the distances between them."""
