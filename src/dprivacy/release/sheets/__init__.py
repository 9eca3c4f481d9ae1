"""Sheets for people who decide: a page for a board to sign, and one with everything for the archive."""
