"""Vulnerability, uncertainty, leakage, entropy, and what the adversary does."""
