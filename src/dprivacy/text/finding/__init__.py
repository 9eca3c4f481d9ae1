"""Finding: what in a text is personal and no vocabulary, by rules and lists, offline."""
