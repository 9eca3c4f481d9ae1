"""Column generation: private columns as spanning trees, found by walks and mixed by a program."""
