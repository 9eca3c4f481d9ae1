"""How nouns and answers look in a notebook."""
