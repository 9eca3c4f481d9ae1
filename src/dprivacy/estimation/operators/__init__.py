"""Channels as maps to apply and invert, in linear time where they have structure."""
