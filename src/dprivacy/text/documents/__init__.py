"""Documents: their pieces, what happens to each, noise on words and bags, and what is promised."""
