"""The Earth: its shape, planes that touch it, lengths, coordinates, and public regions."""
