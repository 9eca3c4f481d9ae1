"""Attacks on noisy texts: who wrote them, what they are about, and how often a guess is right."""
