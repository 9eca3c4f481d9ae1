"""Releases without order and names: rows sorted whole, and what that protects beyond the noise."""
